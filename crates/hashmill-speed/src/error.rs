//! Errors in the command line of `speed`.

use hashmill::unstable::did_you_mean;
use thiserror::Error;

/// An error in the arguments of `speed`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum OptionsError {
    /// A name, or a kernel in `HASHMILL_KERNEL`, is unknown to the library.
    #[error(transparent)]
    Algorithm(#[from] hashmill::Error),
    #[error("unknown option '{option}'{like} (-help lists all)", like = did_you_mean(.like))]
    Unknown { option: String, like: Vec<String> },
    #[error("option '{0}' needs a value")]
    NeedsValue(String),
    #[error("option '{0}' takes no value")]
    TakesNoValue(String),
    #[error("option '{option}' needs a whole number from {least} to {most}, not '{value}'")]
    BadNumber { option: String, value: String, least: u64, most: u64 },
    #[error("option '{option}': {reason}")]
    BadValue { option: String, reason: String },
    #[error("options '{0}' and '{1}' do not go together: {2}")]
    NotTogether(&'static str, &'static str, &'static str),
    #[error("{0} is not an AEAD cipher: leave out -aead, or time one that is (-evp aes-128-gcm)")]
    NotAead(String),
    #[error("-aead can be used only with an AEAD cipher (-evp aes-128-gcm)")]
    NoAead,
    #[error("hashmill has no ciphers and keys of its own: {0} needs -provider aws-lc, rustcrypto or openssl")]
    NotOurs(String),
    #[error("only ciphers and keys of AWS-LC are timed: {0} needs -provider hashmill, rustcrypto or openssl")]
    NotAwsLcs(String),
    #[error("nothing is left to time")]
    Nothing,
    #[error(
        "{needed} bytes of buffers do not fit into the {available} bytes of memory available: lower the sizes, -multi \
         or -threads"
    )]
    TooLarge { needed: u64, available: u64 },
    #[error("argument '{0}' is not UTF-8")]
    NotUtf8(String),
}
