//! Where else there is a certain content.

use crate::decide::content::same_content;
use crate::decide::moves::is_reliable;
use hashmill::{Algorithm, Digest};
use hashmill_files::{
    Error, Event, Found, Input, Io, Key, Options, Outcome, Problem, Progress, Recipe, Walked, sum, walk,
};
use hashmill_lists::{Function, Stated};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A content that is looked for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Its length in bytes.
    pub size: u64,
    /// Its digests.
    pub stated: Vec<Stated>,
    /// If only a file with this time counts.
    pub modified: Option<(i64, u32)>,
}

/// A file with a content that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Its path.
    pub path: PathBuf,
    /// Its digest by the algorithm that was asked for.
    pub digest: Digest,
}

/// How to look for copies.
#[derive(Debug, Clone)]
pub struct CopiesOptions {
    /// The algorithm of [`Copy::digest`].
    pub algorithm: Algorithm,
    /// The key of digests that need one.
    pub key: Option<Key>,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// Looks for contents below a folder, under any names: reads the files that have the length of one of them. Returns the
/// first copy of each that was found. All digests of a content that can be computed must be right, and one of them at
/// least 64 bits long. Files that cannot be read are passed to `tell`.
///
/// # Errors
/// Returns an error if a thread panicked; see [`sum`].
pub fn copies(
    folder: &Path,
    wanted: &[Wanted],
    options: &CopiesOptions,
    progress: &Progress,
    mut tell: impl FnMut(&Path, &Error),
) -> Result<Vec<Option<Copy>>, Error> {
    let mut functions: Vec<Function> = vec![Function::Hash(options.algorithm)];
    for function in wanted.iter().flat_map(|w| &w.stated).filter_map(|s| s.function) {
        if !functions.contains(&function) {
            functions.push(function);
        }
    }
    let recipes: Vec<Recipe> = functions.iter().filter_map(|f| Recipe::new(*f, options.key.as_ref()).ok()).collect();
    let functions: Vec<Function> = recipes.iter().map(Recipe::function).collect();
    let mut of_size: HashMap<u64, Vec<usize>> = HashMap::new();
    for (i, w) in wanted.iter().enumerate() {
        of_size.entry(w.size).or_default().push(i);
    }
    let mut found: Vec<Option<Copy>> = vec![None; wanted.len()];
    let computing = Options { threads: options.threads, io: options.io, ..Options::of(recipes) };
    let how = Walked { examine: true, ..Walked::default() };
    let may_be = |file: &Result<Found, Problem>| match file {
        Ok(file) => file.facts().is_some_and(|facts| of_size.contains_key(&facts.size)),
        Err(Problem { error, .. }) => !error.is_own() && !error.is_skipped(),
    };
    sum(&computing, walk([Input::Path(folder.into())], how).filter(may_be), progress, |event| {
        let Event::Outcome(Outcome { input, result, bytes, changed, modified }) = event else {
            return ControlFlow::Continue(());
        };
        match result {
            Err(e) => tell(input.name(), &e),
            Ok(digests) if !changed => {
                let computed: Vec<Stated> =
                    functions.iter().zip(&digests).map(|(f, d)| Stated::of(*f, d.clone())).collect();
                for &i in of_size.get(&bytes).into_iter().flatten() {
                    let Wanted { stated, modified: time, .. } = &wanted[i];
                    let is_proof = |s: &Stated| is_reliable(s) && s.function.is_some_and(|f| functions.contains(&f));
                    let same = same_content(stated, &computed) == Some(true) && stated.iter().any(is_proof);
                    if found[i].is_none() && same && (time.is_none() || *time == modified) {
                        found[i] = Some(Copy { path: input.name().to_path_buf(), digest: digests[0].clone() });
                    }
                }
            }
            Ok(_) => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
