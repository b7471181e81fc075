//! `module version h1:base64`: Go's `go.sum`. Its digests are of lists of the files in a module, so that there is no
//! file to compare them with.

use super::{Base, Form, Format, Lines};
use crate::base::digits::from_base64;
use crate::base::entry::Item;
use crate::base::fault::Fault;

pub(crate) const FORM: Form = Form {
    name: "gosum",
    what: "`module version h1:base64`, which is only recognized",
    programs: "go",
    writes: false,
    lines: true,
    algorithms: "none",
    several: false,
    sizes: false,
    times: false,
    cannot: "any, since it names modules",
    base: Base::Current,
    format: &GoSum,
};

struct GoSum;

impl Format for GoSum {
    fn line(&self, line: &[u8], _lines: &mut Lines) -> Option<Result<Item, Fault>> {
        let mut words = line.split(|&b| b == b' ');
        let (module, version, digest) = (words.next()?, words.next()?, words.next()?);
        // The first part of a module's path is a domain.
        let is_module = module.contains(&b'.') && version.starts_with(b"v") && words.next().is_none();
        from_base64(digest.strip_prefix(b"h1:")?, 32).filter(|_| is_module)?;
        Some(Err(Fault::Said("digest of a tree, not of a file".into())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::*;

    #[test]
    fn modules() {
        let list = "github.com/google/go-cmp v0.6.0 h1:ofyhxvXcZhMsU5ulbFiLKl/XBFqE1GSq7atu8tAmTRI=
github.com/google/go-cmp v0.6.0/go.mod h1:17dUlkBOakJ0+DkrSSNjCkIjxS6bF9zb3elmeNGIjoY=
";
        let said = read(list, "list");
        let fault = Fault::Said("digest of a tree, not of a file".into());
        assert_eq!((said.form, said.lines.len()), (None, 2));
        assert_eq!(said.faults, [(1, fault.clone()), (2, fault.clone())]);
        for other in
            ["5d41402abc4b2a76b9719d911017c592 v1 h1:ofyhxvXcZhMsU5ulbFiLKl/XBFqE1GSq7atu8tAmTRI=", "a.b v1 h1:x"]
        {
            assert!(read(other, "list").faults.iter().all(|(_, f)| *f != fault));
        }
    }
}
