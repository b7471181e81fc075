//! Digests of folders, as ASC MHL has them.
//!
//! ```text
//! content   = H(sorted digests of what is in the folder)
//! structure = H(sorted H(name ‖ digest)), where the digest of a folder is its structure
//! ```

use hashmill::{Algorithm, Digest, Engine};
use hashmill_lists::mhl::{FolderHash, HashFormat};
use std::collections::HashMap;

/// Folders and the files in them, by their places in two lists of names.
#[derive(Debug)]
pub(crate) struct Tree {
    /// What is called how in which folder.
    folders: Vec<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    folders: Vec<usize>,
    files: Vec<usize>,
}

/// The digests of one format that everything in a tree has.
#[derive(Debug)]
pub(crate) struct Values<'a, F> {
    /// What they are of.
    pub(crate) format: HashFormat,
    /// Names of folders, below the root.
    pub(crate) folders: &'a [Vec<u8>],
    /// Returns the name and the digest of a file. A folder with a file that has none has none itself.
    pub(crate) file: F,
}

impl Tree {
    /// Returns the tree of folders, of which the first is the root with an empty name, and of files with their places.
    pub(crate) fn new<'a>(folders: &'a [Vec<u8>], files: impl Iterator<Item = (usize, &'a [u8])>) -> Tree {
        let places: HashMap<&[u8], usize> = folders.iter().enumerate().map(|(i, name)| (&**name, i)).collect();
        let mut inside: Vec<Inside> = folders.iter().map(|_| Inside::default()).collect();
        let above = |name: &[u8]| places.get(crate::base::names::split(name).0).copied();
        for (i, name) in folders.iter().enumerate().skip(1) {
            if let Some(above) = above(name) {
                inside[above].folders.push(i);
            }
        }
        for (i, name) in files {
            if let Some(above) = above(name) {
                inside[above].files.push(i);
            }
        }
        Tree { folders: inside }
    }

    /// Returns the files of a folder.
    pub(crate) fn files(&self, folder: usize) -> &[usize] {
        &self.folders[folder].files
    }

    /// Returns the folders, each after those in it.
    pub(crate) fn post_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.folders.len());
        let mut open = vec![(0, 0)];
        while let Some((folder, next)) = open.pop() {
            match self.folders[folder].folders.get(next) {
                Some(inner) => open.extend([(folder, next + 1), (*inner, 0)]),
                None => order.push(folder),
            }
        }
        order
    }

    /// Returns the digests of all folders. Those that are `spoiled` have none, nor have those above them.
    pub(crate) fn digests<'n, F: Fn(usize) -> (&'n [u8], Option<Digest>)>(
        &self,
        values: &Values<'_, F>,
        spoiled: &[bool],
    ) -> Vec<Option<FolderHash>> {
        let algorithm = values.format.algorithm();
        let mut all: Vec<Option<FolderHash>> = self.folders.iter().map(|_| None).collect();
        for folder in self.post_order() {
            let inside = &self.folders[folder];
            let inner = inside.folders.iter().map(|&f| {
                let hash = all[f].as_ref()?;
                let structure = hash.structure.as_ref()?;
                Some((leaf(&values.folders[f]), hash.content.clone(), structure.clone()))
            });
            let files = inside.files.iter().map(|&f| {
                let (name, digest) = (values.file)(f);
                let digest = digest?;
                Some((leaf(name), digest.clone(), digest))
            });
            let children: Option<Vec<_>> = inner.chain(files).collect();
            all[folder] = children.filter(|_| !spoiled[folder]).map(|c| of_folder(values.format, algorithm, &c));
        }
        all
    }
}

/// Returns the digests of a folder with these names, each with what goes into the content and into the structure.
fn of_folder(format: HashFormat, algorithm: Algorithm, children: &[(&[u8], Digest, Digest)]) -> FolderHash {
    let named: Vec<Vec<u8>> = children.iter().map(|(name, _, digest)| [name, digest.as_bytes()].concat()).collect();
    let named = Engine::from(algorithm).digest_many(&named);
    let of = |mut digests: Vec<&[u8]>| {
        digests.sort_unstable();
        algorithm.digest(&digests.concat())
    };
    FolderHash {
        format,
        content: of(children.iter().map(|(_, content, _)| content.as_bytes()).collect()),
        structure: Some(of(named.iter().collect())),
    }
}

fn leaf(name: &[u8]) -> &[u8] {
    crate::base::names::split(name).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_lists::mhl::digits;

    /// From a generation that ascmhl 1.2 made of `a/b/x` ("x"), `a/y` ("y"), `empty/` and `z` ("").
    #[test]
    fn folders_as_ascmhl_has_them() {
        let folders: Vec<Vec<u8>> = ["", "a", "a/b", "empty"].map(|n| n.as_bytes().to_vec()).to_vec();
        let files = [("a/b/x", "x"), ("a/y", "y"), ("z", "")];
        let tree = Tree::new(&folders, files.iter().map(|(name, _)| name.as_bytes()).enumerate());
        assert_eq!(tree.post_order(), [2, 1, 3, 0]);
        assert_eq!((tree.files(0), tree.files(2)), (&[2][..], &[0][..]));
        for (format, want) in [FOLDERS_XXH64, FOLDERS_C4] {
            let file = |i: usize| (files[i].0.as_bytes(), Some(format.algorithm().digest(files[i].1.as_bytes())));
            let values = Values { format, folders: &folders, file };
            let got = tree.digests(&values, &[false; 4]).into_iter().map(|hash| {
                let hash = hash.unwrap();
                (digits(format, &hash.content), digits(format, &hash.structure.unwrap()))
            });
            assert!(got.eq(want.map(|(content, structure)| (content.into(), structure.into()))), "{format:?}");
            let spoiled = tree.digests(&values, &[false, false, true, false]);
            assert_eq!(spoiled.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, true]);
            let lacking = Values { format, folders: &folders, file: |i: usize| (files[i].0.as_bytes(), None) };
            let lacking = tree.digests(&lacking, &[false; 4]);
            assert_eq!(lacking.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, true]);
        }
    }

    const FOLDERS_XXH64: (HashFormat, [(&str, &str); 4]) = (
        HashFormat::Xxh64,
        [
            ("42405cc578842d96", "9dd39b990ff96d18"),
            ("89e75bcde551fc06", "35563b6418df7153"),
            ("d43f190b95d5c63c", "5c69cfb119e3899c"),
            ("ef46db3751d8e999", "ef46db3751d8e999"),
        ],
    );

    const FOLDERS_C4: (HashFormat, [(&str, &str); 4]) = (
        HashFormat::C4,
        [
            (
                "c42Bj5key767DmffkAdufoRJKciHS4qqJfEjZyPhNfUKf5AVZZbkHXN7twBT4QxMLzGCxBiLmgvDcUw1uWSgEXq4Jq",
                "c45k84tXTxCJYoGcGm6zys5j4fra6PV4tt4Buf8dWuwFHmVTCh8L46Cb6k3HSaoPguQ7xBsKi5UoMfzVNmigVwshsv",
            ),
            (
                "c442u2GSNVAz169B89wGqNKqFoC2bptJ1jAFLis4z7YQuD1ZKnv4hh33FXhcYAUgNRz5METYFRVhsKDSH6sLxiYQkJ",
                "c44yKv3n1iYxgi65ZDxRwePGx9ve2p3urR19QXXzRgvZvCntYhgp6spRJ5WUDbsq5Yq87isBguzuSPwh9hsS2zziNu",
            ),
            (
                "c42Fz6D4QRuNGXkxvupX69qr8vKivUWBM5cJFYtXxHSDMz6qgB87ksAQRgyTsh3moChiotgfiEnxmR32kYo2JHhCwY",
                "c41QSXNgDbX3DQ54Z9QFzBqPfXV9DMxk6dvdcLRT44KVJ1ACXeY7BnSANzDhceRiRQE9qe29e6egTkpKa6vTqAny7H",
            ),
            (
                "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT",
                "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT",
            ),
        ],
    );
}
