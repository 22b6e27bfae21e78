//! Digests: fingerprints that bind a verdict to what it was given for, and a record to the one before.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 fingerprint. Printed as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a digest has 64 hexadecimal digits")]
pub struct ParseDigestError;

impl Digest {
    /// The fingerprint of plain bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of those bytes, as read back from a store.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;
    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(ParseDigestError);
        }
        let mut bytes = [0_u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| ParseDigestError)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| ParseDigestError)?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = ParseDigestError;
    fn try_from(text: String) -> Result<Self, ParseDigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// Fingerprints a list of named parts. Each part's name and length go in with it, so that no two
/// different lists give the same bytes.
#[derive(Clone, Default)]
pub struct DigestBuilder(Sha256);

impl DigestBuilder {
    /// A builder for one kind of thing; `kind` keeps digests of different kinds apart.
    #[must_use]
    pub fn new(kind: &'static str) -> Self {
        Self::default().part("kind", kind.as_bytes())
    }

    /// Adds one named part.
    #[must_use]
    pub fn part(mut self, name: &'static str, bytes: &[u8]) -> Self {
        for piece in [name.as_bytes(), bytes] {
            self.0.update((piece.len() as u64).to_le_bytes());
            self.0.update(piece);
        }
        self
    }

    /// The fingerprint of all parts so far.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_a_byte_between_parts_changes_the_digest() {
        let one = DigestBuilder::new("t")
            .part("a", b"xy")
            .part("b", b"z")
            .finish();
        let two = DigestBuilder::new("t")
            .part("a", b"x")
            .part("b", b"yz")
            .finish();
        assert_ne!(one, two);
    }

    #[test]
    fn prints_and_reads_back() {
        let digest = Digest::of(b"points");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert!("zz".parse::<Digest>().is_err());
    }
}
