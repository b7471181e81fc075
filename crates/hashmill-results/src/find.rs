//! Looks up the run that the user means.

use crate::error::ResultsError;
use crate::page::clean;
use crate::store::{Spec, Store, StoreError};
use crate::transfer;
use hashmill_measure::run::Run;
use std::path::Path;

/// A run and its label.
pub(crate) struct Named {
    pub(crate) label: String,
    pub(crate) run: Run,
}

/// Loads the run that the user means, from the store or from a file with a single run. A name with a slash or ending in
/// `.json` is a file. So is a name that the store does not know, if there is such a file.
pub(crate) fn load(db: Option<&Path>, spec: &str) -> Result<Named, ResultsError> {
    let path = Path::new(spec);
    let from_file = || Ok(Named { label: clean(spec), run: transfer::only(path)? });
    if spec == "-" || spec.contains('/') || spec.ends_with(".json") {
        return from_file();
    }
    let found = Store::open_existing(db).and_then(|store| Ok((store.find(spec)?, store)));
    match found {
        Ok((id, store)) => {
            let run = store.load(id)?;
            let tag = run.tag.as_ref().map_or(String::new(), |t| format!(" \"{}\"", clean(t)));
            Ok(Named { label: format!("run {id}{tag}"), run })
        }
        Err(StoreError::NoRun { .. } | StoreError::Missing(_))
            if matches!(Spec::of(spec), Spec::Tag(_)) && path.is_file() =>
        {
            from_file()
        }
        Err(e) => Err(e.into()),
    }
}
