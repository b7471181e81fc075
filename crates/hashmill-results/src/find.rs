//! The run that a user means.

use crate::failure::Failure;
use crate::page::clean;
use crate::store::{Spec, Store, StoreError};
use crate::transfer;
use hashmill_measure::run::Run;
use std::path::Path;

/// A run, and what to call it.
pub(crate) struct Named {
    pub(crate) label: String,
    pub(crate) run: Run,
}

/// The run that the user means: in the store, or the only one of a file. What has a slash in it or ends in `.json` is a
/// file, and so is what the store does not know, if there is such a file.
pub(crate) fn load(db: Option<&Path>, spec: &str) -> Result<Named, Failure> {
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
