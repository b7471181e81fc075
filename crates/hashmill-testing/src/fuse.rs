//! A file system that shows a folder, but with unusual behaviour: of names, inode numbers, times and features.

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request,
    TimeOrNow, WriteFlags,
};
use rustix::fs::{AtFlags, CWD, SeekFrom, Timespec, Timestamps, XattrFlags};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{Error, Result};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Behaviour of ctime, the time of the last change of metadata.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Ctime {
    /// As in the folder that is shown.
    #[default]
    Kept,
    /// The same as the time of the last change of content, which anybody can set.
    Mtime,
    /// Always the same.
    Constant,
}

/// The unusual behaviour of the file system. A count gives the number of the one call at which something happens; -1
/// means every call, 0 none.
#[derive(Clone, Copy, Default)]
pub struct Ideas {
    /// Names that differ only in case are the same.
    pub caseless: bool,
    /// Names that differ only in Unicode normal form or dots at the end are the same.
    pub normal: bool,
    /// There are no extended attributes.
    pub no_xattrs: bool,
    /// A file has another inode number each time it is looked at.
    pub unstable: bool,
    /// What the time of the last change of metadata is.
    pub ctime: Ctime,
    /// SEEK_DATA says that no data follows.
    pub no_data: i64,
    /// O_DIRECT is refused.
    pub no_direct: bool,
    /// There are no locks.
    pub no_flock: bool,
    /// A rename with flags, such as RENAME_NOREPLACE, is refused.
    pub no_noreplace: bool,
    /// Syncing a file fails.
    pub fsync_fails: i64,
    /// Listing a folder fails.
    pub readdir_fails: i64,
    /// If not 0, files whose names begin with `bad` cannot be read from this byte on.
    pub bad_from: u64,
}

const ROOT: u64 = 1;
/// Time for which the kernel may cache replies: none.
const NOW: Duration = Duration::ZERO;

enum Handle {
    File(u64, File),
    Folder(Vec<(u64, FileType, OsString)>),
}

struct Strange {
    ideas: Ideas,
    paths: Mutex<HashMap<u64, PathBuf>>,
    handles: Mutex<HashMap<u64, Handle>>,
    next: AtomicU64,
    no_data: AtomicI64,
    fsyncs: AtomicI64,
    readdirs: AtomicI64,
}

/// Shows `folder` at `at` until the returned value is dropped.
pub fn show(folder: &Path, at: &Path, ideas: Ideas) -> Shown {
    fs::create_dir_all(at).unwrap();
    let strange = Strange {
        ideas,
        paths: Mutex::new([(ROOT, folder.to_path_buf())].into()),
        handles: Mutex::default(),
        next: AtomicU64::new(1 << 40),
        no_data: AtomicI64::new(ideas.no_data),
        fsyncs: AtomicI64::new(ideas.fsync_fails),
        readdirs: AtomicI64::new(ideas.readdir_fails),
    };
    let mut config = Config::default();
    config.mount_options = vec![MountOption::FSName("strange".into()), MountOption::DefaultPermissions];
    Shown(Some(fuser::spawn_mount(strange, at, &config).unwrap()))
}

/// A file system that is mounted until this is dropped.
pub struct Shown(Option<BackgroundSession>);

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.0.take().map(BackgroundSession::umount_and_join);
    }
}

/// Counts a call, and returns whether it is to be struck.
fn strikes(count: &AtomicI64) -> bool {
    match count.load(Ordering::Relaxed) {
        0 => false,
        1.. => count.fetch_sub(1, Ordering::Relaxed) == 1,
        _ => true,
    }
}

fn time(seconds: i64, nanoseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::new(seconds.max(0) as u64, nanoseconds as u32)
}

fn timespec(time: Option<TimeOrNow>) -> Timespec {
    match time {
        None => Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT },
        Some(TimeOrNow::Now) => Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW },
        Some(TimeOrNow::SpecificTime(t)) => {
            let since = t.duration_since(UNIX_EPOCH).unwrap_or_default();
            Timespec { tv_sec: since.as_secs() as i64, tv_nsec: since.subsec_nanos().into() }
        }
    }
}

fn unsupported() -> Error {
    Error::from_raw_os_error(95)
}

impl Strange {
    fn path(&self, ino: INodeNo) -> Result<PathBuf> {
        self.paths.lock().unwrap().get(&ino.0).cloned().ok_or_else(|| Error::from_raw_os_error(2))
    }

    fn fold(&self, name: &OsStr) -> String {
        let mut name = name.to_string_lossy().into_owned();
        if self.ideas.caseless {
            name = name.to_lowercase();
        }
        if self.ideas.normal {
            name = name.replace("e\u{301}", "é").replace("u\u{308}", "ü").trim_end_matches('.').to_string();
        }
        name
    }

    /// Returns the path that a name has, or would have, and whether it exists.
    fn find(&self, parent: INodeNo, name: &OsStr) -> Result<(PathBuf, bool)> {
        let folder = self.path(parent)?;
        let exact = folder.join(name);
        if fs::symlink_metadata(&exact).is_ok() {
            return Ok((exact, true));
        }
        if self.ideas.caseless || self.ideas.normal {
            let folded = self.fold(name);
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                if self.fold(&entry.file_name()) == folded {
                    return Ok((entry.path(), true));
                }
            }
        }
        Ok((exact, false))
    }

    fn attr(&self, ino: u64, meta: &Metadata) -> FileAttr {
        let mtime = time(meta.mtime(), meta.mtime_nsec());
        FileAttr {
            ino: INodeNo(ino),
            size: meta.size(),
            blocks: meta.blocks(),
            atime: time(meta.atime(), meta.atime_nsec()),
            mtime,
            ctime: match self.ideas.ctime {
                Ctime::Kept => time(meta.ctime(), meta.ctime_nsec()),
                Ctime::Mtime => mtime,
                Ctime::Constant => time(1_500_000_000, 0),
            },
            crtime: UNIX_EPOCH,
            kind: FileType::from_std(meta.file_type()).unwrap_or(FileType::RegularFile),
            perm: (meta.mode() & 0o7777) as u16,
            nlink: meta.nlink() as u32,
            uid: meta.uid(),
            gid: meta.gid(),
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }

    /// Assigns an inode number to a path, and returns its attributes.
    fn node(&self, path: &Path) -> Result<FileAttr> {
        let meta = fs::symlink_metadata(path)?;
        let ino = match self.ideas.unstable {
            true => self.next.fetch_add(1, Ordering::Relaxed),
            false => meta.ino() + 1000,
        };
        self.paths.lock().unwrap().insert(ino, path.into());
        Ok(self.attr(ino, &meta))
    }

    /// Returns the attributes of an inode number: those of a file that is open under it, otherwise those of its path.
    fn state(&self, ino: INodeNo) -> Result<FileAttr> {
        for handle in self.handles.lock().unwrap().values() {
            if let Handle::File(of, file) = handle
                && *of == ino.0
            {
                return Ok(self.attr(ino.0, &file.metadata()?));
            }
        }
        Ok(self.attr(ino.0, &fs::symlink_metadata(self.path(ino)?)?))
    }

    fn keep(&self, handle: Handle) -> FileHandle {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.handles.lock().unwrap().insert(number, handle);
        FileHandle(number)
    }

    fn file<T>(&self, fh: FileHandle, work: impl FnOnce(&File) -> Result<T>) -> Result<T> {
        match self.handles.lock().unwrap().get(&fh.0) {
            Some(Handle::File(_, file)) => work(file),
            _ => Err(Error::from_raw_os_error(9)),
        }
    }

    fn open_file(&self, ino: INodeNo, flags: i32) -> Result<FileHandle> {
        self.refuse_direct(flags)?;
        let file = OpenOptions::new().read(true).write(flags & 3 != 0).open(self.path(ino)?)?;
        Ok(self.keep(Handle::File(ino.0, file)))
    }

    fn refuse_direct(&self, flags: i32) -> Result<()> {
        let direct = rustix::fs::OFlags::DIRECT.bits() as i32;
        if self.ideas.no_direct && flags & direct != 0 { Err(Error::from_raw_os_error(22)) } else { Ok(()) }
    }

    fn create_file(&self, parent: INodeNo, name: &OsStr, mode: u32, flags: i32) -> Result<(FileAttr, FileHandle)> {
        self.refuse_direct(flags)?;
        let (path, there) = self.find(parent, name)?;
        if there && flags & rustix::fs::OFlags::EXCL.bits() as i32 != 0 {
            return Err(Error::from_raw_os_error(17));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(mode).open(&path)?;
        let attr = self.node(&path)?;
        Ok((attr, self.keep(Handle::File(attr.ino.0, file))))
    }

    fn absent(&self, parent: INodeNo, name: &OsStr) -> Result<PathBuf> {
        match self.find(parent, name)? {
            (_, true) => Err(Error::from_raw_os_error(17)),
            (path, false) => Ok(path),
        }
    }

    fn present(&self, parent: INodeNo, name: &OsStr) -> Result<PathBuf> {
        match self.find(parent, name)? {
            (path, true) => Ok(path),
            (_, false) => Err(Error::from_raw_os_error(2)),
        }
    }

    fn move_name(&self, from: (INodeNo, &OsStr), to: (INodeNo, &OsStr), flags: RenameFlags) -> Result<()> {
        if !flags.is_empty() && (self.ideas.no_noreplace || flags != RenameFlags::RENAME_NOREPLACE) {
            return Err(Error::from_raw_os_error(22));
        }
        let source = self.present(from.0, from.1)?;
        let (there, taken) = self.find(to.0, to.1)?;
        let target = self.path(to.0)?.join(to.1);
        if taken && there != source {
            if flags.contains(RenameFlags::RENAME_NOREPLACE) {
                return Err(Error::from_raw_os_error(17));
            }
            fs::rename(&source, &there)?;
            fs::rename(&there, &target)?;
        } else {
            fs::rename(&source, &target)?;
        }
        for path in self.paths.lock().unwrap().values_mut() {
            if let Ok(below) = path.strip_prefix(&source) {
                *path = if below.as_os_str().is_empty() { target.clone() } else { target.join(below) };
            }
        }
        Ok(())
    }

    fn list(&self, ino: INodeNo) -> Result<FileHandle> {
        let folder = self.path(ino)?;
        let mut all =
            vec![(ino.0, FileType::Directory, OsString::from(".")), (ROOT, FileType::Directory, OsString::from(".."))];
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = FileType::from_std(entry.file_type()?).unwrap_or(FileType::RegularFile);
            all.push((entry.metadata()?.ino() + 1000, kind, entry.file_name()));
        }
        Ok(self.keep(Handle::Folder(all)))
    }

    fn xattrs(&self, ino: INodeNo) -> Result<PathBuf> {
        if self.ideas.no_xattrs { Err(unsupported()) } else { self.path(ino) }
    }
}

/// Replies with an entry, or with the error.
fn entry(made: Result<FileAttr>, reply: ReplyEntry) {
    match made {
        Ok(attr) => reply.entry(&NOW, &attr, Generation(0)),
        Err(e) => reply.error(e.into()),
    }
}

fn empty(done: Result<()>, reply: ReplyEmpty) {
    match done {
        Ok(()) => reply.ok(),
        Err(e) => reply.error(e.into()),
    }
}

/// Replies with a value, with its length if no size is given, or with the error.
fn value(value: Result<Vec<u8>>, size: u32, reply: ReplyXattr) {
    match value {
        Ok(v) if size == 0 => reply.size(v.len() as u32),
        Ok(v) if v.len() > size as usize => reply.error(Errno::from_i32(34)),
        Ok(v) => reply.data(&v),
        Err(e) => reply.error(e.into()),
    }
}

impl Filesystem for Strange {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> Result<()> {
        if self.ideas.no_flock {
            config.add_capabilities(InitFlags::FUSE_FLOCK_LOCKS).map_err(|_| unsupported())?;
        }
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        entry(self.present(parent, name).and_then(|path| self.node(&path)), reply);
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.state(ino) {
            Ok(attr) => reply.attr(&NOW, &attr),
            Err(e) => reply.error(e.into()),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let set = || {
            let path = self.path(ino)?;
            if let Some(mode) = mode {
                fs::set_permissions(&path, Permissions::from_mode(mode))?;
            }
            if uid.is_some() || gid.is_some() {
                lchown(&path, uid, gid)?;
            }
            if let Some(size) = size {
                OpenOptions::new().write(true).open(&path)?.set_len(size)?;
            }
            if atime.is_some() || mtime.is_some() {
                let times = Timestamps { last_access: timespec(atime), last_modification: timespec(mtime) };
                rustix::fs::utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW)?;
            }
            self.state(ino)
        };
        match set() {
            Ok(attr) => reply.attr(&NOW, &attr),
            Err(e) => reply.error(e.into()),
        }
    }

    fn readlink(&self, _: &Request, ino: INodeNo, reply: ReplyData) {
        match self.path(ino).and_then(fs::read_link) {
            Ok(target) => reply.data(target.as_os_str().as_encoded_bytes()),
            Err(e) => reply.error(e.into()),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, umask: u32, reply: ReplyEntry) {
        let make = || {
            let path = self.absent(parent, name)?;
            fs::DirBuilder::new().mode(mode & !umask).create(&path)?;
            self.node(&path)
        };
        entry(make(), reply);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(self.present(parent, name).and_then(fs::remove_file), reply);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(self.present(parent, name).and_then(fs::remove_dir), reply);
    }

    fn symlink(&self, _: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let make = || {
            let path = self.absent(parent, name)?;
            symlink(target, &path)?;
            self.node(&path)
        };
        entry(make(), reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        empty(self.move_name((parent, name), (newparent, newname), flags), reply);
    }

    fn link(&self, _: &Request, ino: INodeNo, newparent: INodeNo, newname: &OsStr, reply: ReplyEntry) {
        let make = || {
            let path = self.absent(newparent, newname)?;
            fs::hard_link(self.path(ino)?, &path)?;
            self.node(&path)
        };
        entry(make(), reply);
    }

    fn open(&self, _: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        match self.open_file(ino, flags.0) {
            Ok(handle) => reply.opened(handle, FopenFlags::empty()),
            Err(e) => reply.error(e.into()),
        }
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        match self.create_file(parent, name, mode & !umask, flags) {
            Ok((attr, handle)) => reply.created(&NOW, &attr, Generation(0), handle, FopenFlags::empty()),
            Err(e) => reply.error(e.into()),
        }
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let from = self.ideas.bad_from;
        let bad = |path: PathBuf| path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"bad"));
        if from > 0 && offset + u64::from(size) > from && self.path(ino).is_ok_and(bad) {
            return reply.error(Errno::EIO);
        }
        let mut bytes = vec![0; size as usize];
        let mut have = 0;
        let read = self.file(fh, |f| {
            loop {
                match f.read_at(&mut bytes[have..], offset + have as u64)? {
                    0 => return Ok(()),
                    n => have += n,
                }
            }
        });
        match read {
            Ok(()) => reply.data(&bytes[..have]),
            Err(e) => reply.error(e.into()),
        }
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        fh: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.file(fh, |f| f.write_all_at(data, offset)) {
            Ok(()) => reply.written(data.len() as u32),
            Err(e) => reply.error(e.into()),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        fh: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.handles.lock().unwrap().remove(&fh.0);
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        if strikes(&self.fsyncs) { reply.error(Errno::EIO) } else { reply.ok() }
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        if strikes(&self.fsyncs) { reply.error(Errno::EIO) } else { reply.ok() }
    }

    fn opendir(&self, _: &Request, ino: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.list(ino) {
            Ok(handle) => reply.opened(handle, FopenFlags::empty()),
            Err(e) => reply.error(e.into()),
        }
    }

    fn readdir(&self, _: &Request, _: INodeNo, fh: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        if strikes(&self.readdirs) {
            return reply.error(Errno::EIO);
        }
        if let Some(Handle::Folder(all)) = self.handles.lock().unwrap().get(&fh.0) {
            for (i, (ino, kind, name)) in all.iter().enumerate().skip(offset as usize) {
                if reply.add(INodeNo(*ino), i as u64 + 1, *kind, name) {
                    break;
                }
            }
        }
        reply.ok();
    }

    fn releasedir(&self, _: &Request, _: INodeNo, fh: FileHandle, _: OpenFlags, reply: ReplyEmpty) {
        self.handles.lock().unwrap().remove(&fh.0);
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(1 << 24, 1 << 23, 1 << 23, 1 << 20, 1 << 19, 4096, 255, 4096);
    }

    fn setxattr(&self, _: &Request, ino: INodeNo, name: &OsStr, content: &[u8], flags: i32, _: u32, reply: ReplyEmpty) {
        let flags = XattrFlags::from_bits_truncate(flags as u32);
        let set = |path: PathBuf| Ok(rustix::fs::lsetxattr(path, name, content, flags)?);
        empty(self.xattrs(ino).and_then(set), reply);
    }

    fn getxattr(&self, _: &Request, ino: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let get = |path: PathBuf| {
            let mut bytes = vec![0; 65536];
            let n = rustix::fs::lgetxattr(path, name, &mut bytes[..])?;
            bytes.truncate(n);
            Ok(bytes)
        };
        value(self.xattrs(ino).and_then(get), size, reply);
    }

    fn listxattr(&self, _: &Request, ino: INodeNo, size: u32, reply: ReplyXattr) {
        let list = |path: PathBuf| {
            let mut bytes = vec![0; 65536];
            let n = rustix::fs::llistxattr(path, &mut bytes[..])?;
            bytes.truncate(n);
            Ok(bytes)
        };
        value(self.xattrs(ino).and_then(list), size, reply);
    }

    fn removexattr(&self, _: &Request, ino: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(self.xattrs(ino).and_then(|path| Ok(rustix::fs::lremovexattr(path, name)?)), reply);
    }

    /// Called only if `init` has requested the capability FUSE_FLOCK_LOCKS.
    fn setlk(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        _: LockOwner,
        _: u64,
        _: u64,
        _: i32,
        _: u32,
        _: bool,
        reply: ReplyEmpty,
    ) {
        reply.error(unsupported().into());
    }

    fn fallocate(&self, _: &Request, _: INodeNo, _: FileHandle, _: u64, _: u64, _: i32, reply: ReplyEmpty) {
        reply.error(unsupported().into());
    }

    fn lseek(&self, _: &Request, _: INodeNo, fh: FileHandle, offset: i64, whence: i32, reply: ReplyLseek) {
        const SEEK_DATA: i32 = 3;
        if whence == SEEK_DATA && strikes(&self.no_data) {
            return reply.error(Errno::from_i32(6));
        }
        let place = if whence == SEEK_DATA { SeekFrom::Data(offset as u64) } else { SeekFrom::Hole(offset as u64) };
        match self.file(fh, |f| Ok(rustix::fs::seek(f, place)?)) {
            Ok(at) => reply.offset(at as i64),
            Err(e) => reply.error(e.into()),
        }
    }
}
