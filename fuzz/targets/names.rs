//! Names of algorithms with parameters, and tags: the name and the tag of a parsed algorithm must parse to it again.
#![no_main]

use hashmill::Algorithm;
use hashmill_lists::{algorithm_of_tag, tag};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|name: &str| {
    // Errors suggest similar names, which is slow, so lists are parsed only for some inputs.
    if name.len().is_multiple_of(8)
        && let Ok(all) = Algorithm::parse_list(name)
    {
        assert!(!all.is_empty());
    }
    let Some(a) = algorithm_of_tag(name) else { return };
    assert_eq!(a.name().parse::<Algorithm>().as_ref(), Ok(&a), "{name}");
    assert_eq!(algorithm_of_tag(&tag(a)), Some(a), "{name}");
    assert!(a.digest_lengths().contains(&a.digest_len()), "{name}");
    // Parameters may make an algorithm arbitrarily slow, and a digest arbitrarily long.
    if a.relative_cost() < 64.0 && a.digest_len() < 1 << 16 {
        assert_eq!(a.digest(b"abc").as_bytes().len(), a.digest_len());
    }
});
