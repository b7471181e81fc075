//! Making the names in folders durable.

use std::fs::File;
use std::io;
use std::path::Path;

/// Writes the names in a folder to the medium, so that they outlast a power cut.
///
/// # Errors
/// Returns an error if the medium reports one. That a system or a file system cannot do this is none.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Some systems do not open folders, and a folder need not be readable to be written to.
    let Ok(open) = File::open(folder) else { return Ok(()) };
    match open.sync_all() {
        Err(e) if !matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Err(e),
        _ => Ok(()),
    }
}
