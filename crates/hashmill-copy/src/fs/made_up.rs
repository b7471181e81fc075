//! Files whose content is made up as it is read, so that their lengths are not known before: those in `/proc` are said
//! to be empty, those in `/sys` to have a page.

use crate::fs::place::uninterrupted;
use crate::fs::relation::{file_system, is_plain};
use rustix::fd::AsFd;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// File systems of the kernel, which make up the content of all their files.
const KERNEL: [u64; 15] = [
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x6265_6570, // configfs
    0x7363_6673, // securityfs
    0xf97c_ff8c, // selinuxfs
    0x4341_5d53, // smackfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x0765_5821, // resctrl
    0x4249_4e4d, // binfmt_misc
    0x6573_5543, // fusectl
    0x1980_0202, // mqueue
    0x6e66_7364, // nfsd
];

/// Maximum length of such a file. Some have no end, or are as long as the address space.
pub(crate) const LONGEST: u64 = 1 << 30;

/// Describes the failure for a file that is longer.
pub(crate) fn too_long() -> String {
    format!("its length is not known before it is read, and it is longer than {} GiB", LONGEST >> 30)
}

/// What a file system says about the length of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lengths {
    True,
    /// Nothing: content is made up as it is read.
    MadeUp,
    /// The truth, except that a file that it calls empty may have content, as on some file systems in user space.
    Unknown,
}

/// Returns what the file system of a file says about lengths.
pub(crate) fn lengths(file: impl AsFd) -> Lengths {
    let file = file.as_fd();
    match file_system(file) {
        Some(magic) if KERNEL.contains(&magic) => Lengths::MadeUp,
        _ if is_plain(file) => Lengths::True,
        _ => Lengths::Unknown,
    }
}

/// Returns the length of what can be read of a file, up to a little more than [`LONGEST`].
pub(crate) fn length(file: &File) -> io::Result<u64> {
    let mut buffer = vec![0; 64 << 10];
    let mut at = 0;
    loop {
        match uninterrupted(|| file.read_at(&mut buffer, at))? {
            0 => return Ok(at),
            _ if at > LONGEST => return Ok(at),
            n => at += n as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_kernel() {
        let file = File::open("/proc/version").expect("a file");
        assert_eq!((lengths(&file), file.metadata().expect("metadata").len()), (Lengths::MadeUp, 0));
        let text = std::fs::read("/proc/version").expect("a file");
        assert_eq!(length(&file).expect("a length"), text.len() as u64);
    }
}
