//! ETags of objects that were uploaded to S3 in parts: they tell the number of parts, and the file's length then leaves
//! few lengths that a part can have.

use hashmill_lists::{Composition, Function, Stated};
use std::num::NonZeroU64;

/// Lengths of a part in MiB that programs use, the most frequent first.
const USUAL: [u64; 14] = [8, 5, 16, 15, 64, 10, 32, 25, 50, 100, 128, 256, 512, 1024];

/// Maximum number of lengths that are tried: each of them costs an MD5 of the file.
const MOST: usize = 16;

const MIB: u64 = 1 << 20;

/// Returns the functions that an ETag of a file of `size` bytes may be of, the most frequent first. Parts are taken to
/// be whole MiB.
pub(super) fn parts(stated: &Stated, size: u64) -> Vec<Function> {
    let count = match stated.digest.as_bytes().get(16..).and_then(|count| count.try_into().ok()).map(u32::from_be_bytes)
    {
        // Uploaded whole.
        None => return of([NonZeroU64::MAX]),
        Some(count) => u64::from(count),
    };
    // The last part has at least one byte.
    let shortest = size.div_ceil(count.max(1)).max(1);
    let longest = if count > 1 { size.saturating_sub(1) / (count - 1) } else { size };
    if count == 1 {
        return of(NonZeroU64::new(size));
    }
    let fits = |part: &u64| (shortest..=longest).contains(part);
    let usual = USUAL.iter().map(|mib| mib * MIB);
    let others = (shortest.div_ceil(MIB)..=longest / MIB).map(|mib| mib * MIB);
    let others = others.filter(|part| !USUAL.contains(&(part / MIB)));
    let all = of(usual.filter(fits).chain(others).take(MOST).filter_map(NonZeroU64::new));
    // A file that cannot have so many parts is another one, which the digest of the whole shows.
    if all.is_empty() { of([NonZeroU64::MAX]) } else { all }
}

fn of(parts: impl IntoIterator<Item = NonZeroU64>) -> Vec<Function> {
    parts.into_iter().map(|part| Composition::S3Etag { part: Some(part) }.into()).collect()
}

/// Returns whether a function is one of those that an ETag may be of.
pub(super) fn is_one(stated: Function, computed: Function) -> bool {
    let is_etag = |f| matches!(f, Function::Composed(Composition::S3Etag { .. }));
    stated == Function::Composed(Composition::S3Etag { part: None }) && is_etag(computed)
}

/// Returns which of the functions a wrong ETag was first taken to be of.
pub(super) fn assumed(stated: &Stated, functions: &[Function]) -> Option<Function> {
    let first = functions.iter().copied().find(|f| stated.function.is_some_and(|stated| is_one(stated, *f)));
    let whole = Function::Composed(Composition::S3Etag { part: Some(NonZeroU64::MAX) });
    first.filter(|f| *f != whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(parts: u32, size: u64) -> String {
        let function: Function = Composition::S3Etag { part: None }.into();
        let hex = "00".repeat(16);
        let text = if parts == 0 { hex } else { format!("{hex}-{parts}") };
        let stated = Stated::of(function, function.digest(text.as_bytes()).unwrap());
        let found = super::parts(&stated, size);
        assert!(found.iter().all(|f| is_one(function, *f)));
        found.iter().map(|f| f.name().replace("s3-etag:part=", "")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lengths_of_parts() {
        assert_eq!(names(38, 300 * MIB), "8M");
        assert_eq!(names(60, 300 * MIB), "5M");
        assert_eq!(names(2, 12 * MIB), "8M 10M 6M 7M 9M 11M");
        assert_eq!(names(1, 5), "5");
        assert_eq!(names(2, 100), NonZeroU64::MAX.to_string());
        assert_eq!(names(7, 0), NonZeroU64::MAX.to_string());
        assert_eq!(names(0, 5), NonZeroU64::MAX.to_string());
        assert_eq!(names(2, u64::MAX).split(' ').count(), MOST);
        assert_eq!(names(10_000, 80_000 * MIB), "8M");
    }
}
