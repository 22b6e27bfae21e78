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
        // Not by `{:02x}` for each byte: every record prints a handful, and that was 2 % of what a stored question took.
        let digits: String = self
            .0
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 0xf])
            .filter_map(|half| char::from_digit(half.into(), 16))
            .collect();
        f.write_str(&digits)
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
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return Err(ParseDigestError);
        };
        if pairs.len() != 32 {
            return Err(ParseDigestError);
        }
        let mut bytes = [0_u8; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = half_of(*high)? << 4 | half_of(*low)?;
        }
        Ok(Self(bytes))
    }
}

/// The value of one hexadecimal digit.
fn half_of(digit: u8) -> Result<u8, ParseDigestError> {
    let value = char::from(digit).to_digit(16);
    value
        .and_then(|value| u8::try_from(value).ok())
        .ok_or(ParseDigestError)
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
        assert_eq!(digest.to_string().to_uppercase().parse(), Ok(digest));
        let no_digests = [
            "zz".into(),
            "zz".repeat(32),
            "+f".repeat(32),
            "é".repeat(32),
        ];
        for text in no_digests {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
