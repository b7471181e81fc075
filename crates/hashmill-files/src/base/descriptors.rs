//! How many files this process may have open at once.

/// Raises this process's limit on open descriptors, as far as needed and as the system allows, so that `wanted` files
/// can be open at once. Returns how many may be open: at most `wanted`, at least 1. The remaining descriptors (32, or
/// most of them if the limit is very low) are reserved for the standard streams, directories being walked and
/// libraries.
///
/// The limit applies to the whole process: a caller that needs files for two purposes has to ask for both together.
pub fn raise_descriptor_limit(wanted: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let need = (wanted as u64).saturating_add(OTHERS);
        let mut now = limit.current.unwrap_or(u64::MAX);
        if now < need {
            let more = limit.maximum.unwrap_or(u64::MAX).min(need);
            if setrlimit(Resource::Nofile, Rlimit { current: Some(more), maximum: limit.maximum }).is_ok() {
                now = more;
            }
        }
        usable(now).min(wanted as u64).max(1) as usize
    }
    #[cfg(not(unix))]
    wanted.max(1)
}

/// Whether so many files may be open that a few more are there for what need not be done.
pub(crate) fn are_plenty() -> bool {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).current.is_none_or(|now| now >= 2 * OTHERS);
    #[cfg(not(unix))]
    true
}

/// Descriptors kept for other uses than reading files.
#[cfg(unix)]
const OTHERS: u64 = 32;

/// Returns how many files may be open if the process may have `limit` descriptors.
#[cfg(unix)]
fn usable(limit: u64) -> u64 {
    limit.saturating_sub(OTHERS).max(limit / 4)
}

#[cfg(all(test, unix))]
mod tests {
    use super::{raise_descriptor_limit, usable};

    #[test]
    fn a_reserve_is_left() {
        assert_eq!([0, 3, 8, 32, 40, 44, 64, 1024].map(usable), [0, 0, 2, 8, 10, 12, 32, 992]);
        assert_eq!(raise_descriptor_limit(0), 1);
        assert_eq!(raise_descriptor_limit(5), 5);
    }
}
