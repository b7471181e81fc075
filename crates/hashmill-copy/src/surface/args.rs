//! The command line as data.

use crate::model::layout::{BY_DATE, Layout};
use crate::model::options::{Dates, FilmTime, NoDate, OnConflict, Options, Select, Verify};
use crate::surface::copy::overlap;
use clap::{Args, ValueHint};
use hashmill_files::{AlgorithmList, Filter, Selection};
use hashmill_lists::Form;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Copy trees and import photos, verified from the medium
///
/// Every file is read once and hashed on the way, written under a temporary name, made durable, read back past the page
/// cache, and only then gets its final name. No other file is replaced, except by --on-conflict repair; what is there
/// already is skipped. If the command is killed, running it again finishes the work. The content of SRC folders goes
/// directly below DEST.
#[derive(Debug, Args)]
#[command(
    override_usage = "hashmill copy [OPTIONS] SRC… DEST",
    after_help = "\
Examples:
  hashmill copy -n --by-date --photos /media/card photos   what would be done
  hashmill copy --by-date --photos /media/card photos      import photos
  hashmill copy --layout '{year}/{camera}/{date}_{time}' --dedupe card photos
  hashmill copy --manifest photos/SHA256SUMS -a sha256 src photos
  hashmill copy --by-date --photos --also /backup/photos /media/card photos
  hashmill copy --ext jpg --by-date --on-conflict repair -a skein512 SRC DEST

Fields of --layout:
  {year} {month} {day} {hour} {minute} {second} {subsec} {zone} {date} {time}
  {make} {camera} {name} {stem} {ext} {folder} {counter} {counter:4} {digest}
  {digest:12}

The date is taken from EXIF (DateTimeOriginal, else CreateDate), else from the
film, the file's name, or the file. Sidecars, raws and films of one name stay
with their picture, films only if camera and day fit. Without a date, folder
`unknown` takes the place of those by date. --by-date gives
photos/2024/2024-05-31/IMG_1234.JPG, or photos/unknown/IMG_1234.JPG.

Files:
  DEST/.hashmill/list.json          what was copied, for hashmill audit DEST
  DEST/.hashmill/catalogue.sqlite   what is known of files in DEST; only a cache
  DEST/.hashmill/journal-*          what a run that was killed has to clean up

Exit status: 0 if all went well, 2 for wrong usage, else a sum of
   1  a source could not be read, or changed while it was read
   4  a copy could not be written (full disk, read-only), or would not fit (-n),
      or a source not be deleted
   8  a copy or source had different content when it was read again, twice, or a
      file of the destination is damaged
  16  the destination has another file of the name (--on-conflict fail)
  32  the catalogue, a list or the log could not be written
or 130 (128 and the signal's number) if it was interrupted: nothing temporary is
left, and the same command again finishes the work.
"
)]
pub struct CopyArgs {
    /// SRC… DEST: files and folders to copy, followed by the folder to copy them to
    #[arg(value_name = "PATH", required = true, num_args = 2.., value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,

    /// Where files go below DEST; by default the tree is kept as it is
    #[arg(long, value_name = "TEMPLATE", help_heading = "Destination")]
    pub layout: Option<Layout>,

    /// The same as --layout '{year}/{year}-{month}-{day}/{name}'
    #[arg(long, conflicts_with = "layout", help_heading = "Destination")]
    pub by_date: bool,

    /// Copy only files with these extensions, in upper or lower case; jpg, .jpg and '*.jpg' are the same
    #[arg(
        long,
        value_name = "EXT[,EXT…]",
        value_delimiter = ',',
        conflicts_with = "photos",
        help_heading = "Selection"
    )]
    pub ext: Vec<String>,

    /// Which of the files to copy.
    #[command(flatten)]
    pub selection: Selection,

    /// Copy only pictures, raws, films and their sidecars
    #[arg(long, help_heading = "Selection")]
    pub photos: bool,

    /// Import thumbnails and system files too (._NAME, .DS_Store, Thumbs.db, @eaDir, .thumbnails, trash …); copies of
    /// whole trees always have them
    #[arg(long, help_heading = "Selection")]
    pub all: bool,

    /// What to do with files that have no date in their metadata or their name, if the layout needs one
    #[arg(long, value_name = "WHAT", default_value = "mtime", help_heading = "Selection")]
    pub no_date: NoDate,

    /// What reads the dates of pictures and films: exiftool must be installed, knows more formats and takes longer
    #[arg(long, value_name = "READER", default_value = "builtin", help_heading = "Selection")]
    pub dates: Dates,

    /// Time zone of the dates of films without a zone of their own: UTC, as the formats require, or local time, as many
    /// cameras write; auto decides by the maker
    #[arg(long, value_name = "ZONE", default_value = "auto", help_heading = "Selection")]
    pub film_time: FilmTime,

    /// What to do if DEST has another file of the same name
    #[arg(long, value_name = "WHAT", default_value = "rename", help_heading = "Destination")]
    pub on_conflict: OnConflict,

    /// Do not copy what DEST already has, anywhere and under any name
    #[arg(long, help_heading = "Destination")]
    pub dedupe: bool,

    /// How copies are verified
    #[arg(long, value_name = "HOW", default_value = "reread", help_heading = "Verification")]
    pub verify: Verify,

    /// Delete sources whose copies have been verified, or were there and have been read from the medium
    #[arg(long = "move", help_heading = "Verification")]
    pub remove: bool,

    /// Algorithms, separated by commas; see `hashmill list`
    #[arg(
        short,
        long = "algorithm",
        value_name = "ALG[,ALG…]",
        default_value = "blake3",
        help_heading = "Verification"
    )]
    pub algorithms: AlgorithmList,

    /// Write a checksum list of what is in DEST now. Names are relative to DEST: check it from there. Lines of FILE
    /// about other files are kept
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Lists")]
    pub manifest: Option<PathBuf>,

    /// Form of the list's lines. By default an existing list keeps its own, and a new one has that of md5sum … b3sum
    /// for their algorithms, else bsd
    #[arg(
        long,
        value_name = "FORM",
        requires = "manifest",
        value_parser = hashmill_lists::form_values(|form| form.lines),
        help_heading = "Lists"
    )]
    pub manifest_form: Option<&'static Form>,

    /// Append to FILE what becomes of every file, with the time, and every message
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub log: Option<PathBuf>,

    /// Copy to this folder, too: every file is read once, both copies are verified, and either may fail alone. Each
    /// folder has its own names, conflicts, catalogue and list; --manifest is about DEST
    #[arg(
        long,
        value_name = "DEST2",
        conflicts_with = "remove",
        value_hint = ValueHint::DirPath,
        help_heading = "Destination"
    )]
    pub also: Option<PathBuf>,

    /// Follow symbolic links below DEST, wherever they lead; by default nothing is written through one
    #[arg(long, help_heading = "Destination")]
    pub follow_dest: bool,

    /// Only show what would be done
    #[arg(short = 'n', long, help_heading = "Destination")]
    pub dry_run: bool,

    /// Read every file; by default files whose length, times and inode match the catalogue are not read again
    #[arg(long, help_heading = "Catalogue")]
    pub fresh: bool,

    /// Keep nothing in DEST/.hashmill: no catalogue, and no list for `hashmill audit DEST`
    #[arg(long, help_heading = "Catalogue")]
    pub no_catalogue: bool,

    /// Maximum memory for buffers and for files in progress, 1M to 1024G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, help_heading = "Performance")]
    pub memory: u64,

    /// Number of threads that read and hash; by default the number of cores
    #[arg(short = 'j', long, value_name = "N", help_heading = "Performance")]
    pub threads: Option<NonZeroUsize>,

    /// Print a line for every file, not only for those that are not simply copied
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,

    /// Print events as JSON, one per line, the summary last
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

impl CopyArgs {
    /// Returns the options that the arguments ask for, or a one-line message about what is wrong with them.
    ///
    /// # Errors
    /// If arguments are missing, invalid or incompatible, or if DEST does not exist and may be meant as the name of a
    /// file.
    pub fn options(&self) -> Result<Options, String> {
        let Some((destination, sources)) = self.paths.split_last() else {
            return Err("SRC and DEST are missing".into());
        };
        if self.verify == Verify::None && self.manifest.is_some() {
            return Err("--manifest needs digests, which --verify none does not take".into());
        }
        if self.verify < Verify::Reread && self.remove {
            return Err("--move deletes what has been verified: only with --verify reread or source".into());
        }
        if self.remove && self.manifest.as_deref().is_some_and(crate::record::manifest::is_stream) {
            return Err(
                "--move needs a --manifest that is a file: what was written to a pipe is lost if its reader fails"
                    .into(),
            );
        }
        if self.algorithms.0.len() > 1 && self.manifest_form.is_some_and(|form| !form.several) {
            return Err("--manifest-form gnu does not say of which algorithm a line is: one algorithm only".into());
        }
        let folder = destination.is_dir() || destination.as_os_str().as_encoded_bytes().ends_with(b"/");
        if !folder && !destination.exists() && sources.iter().all(|s| s.is_file()) {
            let name = destination.display();
            return Err(format!("{name}: DEST is a folder; write {name}/ to have it made"));
        }
        if let Some(also) = &self.also
            && overlap(also, destination)
        {
            let (also, destination) = (also.display(), destination.display());
            return Err(format!("--also {also}: is the same folder as {destination}, or one of them is in the other"));
        }
        let by_date = || BY_DATE.parse().map_err(|e| format!("{BY_DATE}: {e}"));
        Ok(Options {
            sources: sources.to_vec(),
            destination: destination.clone(),
            algorithms: self.algorithms.0.clone(),
            layout: if self.by_date { Some(by_date()?) } else { self.layout.clone() },
            select: match (self.photos, self.ext.is_empty()) {
                (true, _) => Select::Photos,
                (false, true) => Select::All,
                (false, false) => Select::Extensions(self.ext.iter().map(|e| extension(e)).collect::<Result<_, _>>()?),
            },
            filter: Filter::new(&self.selection, &[])?,
            all: self.all,
            no_date: self.no_date,
            dates: self.dates,
            film_time: self.film_time,
            on_conflict: self.on_conflict,
            dedupe: self.dedupe,
            verify: self.verify,
            remove: self.remove,
            catalogue: !self.no_catalogue && self.verify != Verify::None,
            fresh: self.fresh,
            follow_dest: self.follow_dest,
            manifest: self.manifest.clone(),
            manifest_form: self.manifest_form,
            dry_run: self.dry_run,
            threads: self.threads,
            memory: self.memory,
        })
    }
}

/// Parses an extension as people write it: `jpg`, `.jpg` or `*.jpg`.
fn extension(text: &str) -> Result<String, String> {
    let bare = text.trim();
    let bare = bare.strip_prefix('*').unwrap_or(bare).trim_start_matches('.');
    if bare.is_empty() || bare.contains(['*', '?', '[', '/', '.']) {
        return Err(format!("--ext '{text}' is not an extension: write one as in --ext jpg,mov"));
    }
    Ok(bare.to_string())
}

/// Parses a number of bytes, such as `64M`.
fn size(text: &str) -> Result<u64, String> {
    let bytes = hashmill::unstable::parse_size(text)?;
    if (1 << 20..=1 << 40).contains(&bytes) { Ok(bytes) } else { Err("between 1M and 1024G".into()) }
}
