//! The key to a model: never printed, never recorded.

use std::fmt;

use pointsman_process::KEY_LEFT_OUT;

/// A shorter text is no secret, and taking it out would garble what it stands in.
const TAKEN_OUT_BYTES_MIN: usize = 6;

/// The key to a model. It has no way out but into a request's header: its `Debug` shows nothing, it
/// can be neither displayed nor written out, and what is recorded has it taken out.
///
/// ```
/// let key = pointsman_llm::ApiKey::new("sk-very-secret").unwrap();
/// assert_eq!(format!("{key:?}"), "ApiKey([key])");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(Box<str>);

impl ApiKey {
    /// The key in this text, blanks around it dropped. Nothing when that leaves nothing, or something
    /// that no header can carry.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.into()))
    }

    /// For the header of a request, and nothing else.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// A text without the key, should a server have sent it back.
    pub(crate) fn taken_out_of(&self, text: &str) -> String {
        if self.0.len() < TAKEN_OUT_BYTES_MIN {
            return text.to_owned();
        }
        text.replace(&*self.0, KEY_LEFT_OUT)
    }

    /// Whether these bytes hold the key.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        let key = self.0.as_bytes();
        key.len() >= TAKEN_OUT_BYTES_MIN && bytes.windows(key.len()).any(|window| window == key)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({KEY_LEFT_OUT})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing_of_it() {
        let key = ApiKey::new(" sk-abcdef \n").unwrap();
        assert_eq!(format!("{key:?} {key:#?}"), "ApiKey([key]) ApiKey([key])");
    }

    #[test]
    fn what_no_header_carries_is_no_key() {
        for text in ["", "  ", "a b", "a\nb", "schlüssel"] {
            assert_eq!(ApiKey::new(text), None, "{text:?}");
        }
    }

    #[test]
    fn it_is_taken_out_wherever_it_stands() {
        let key = ApiKey::new("sk-abcdef").unwrap();
        assert_eq!(
            key.taken_out_of("bad key sk-abcdef, no sk-abcdef here"),
            "bad key [key], no [key] here"
        );
        assert!(key.is_in(b"xxsk-abcdefyy"));
        assert!(!key.is_in(b"sk-abcde"));
    }
}
