//! Patterns for hosts: `domain:example.com`, `domain:*.example.com`, `domain:docs.*`.

use std::net::Ipv6Addr;

use pointsman_model::HostName;

/// The hosts that a rule is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostPattern {
    /// Every host.
    Any,
    /// That host alone.
    Exact(HostName),
    /// What lies below that host, at any depth; not the host itself.
    Below(HostName),
    /// Hosts label by label; a star stays within its label.
    Labels(Box<[Box<str>]>),
}

impl HostPattern {
    /// Reads the text behind `domain:`; `None` when no host has such a name.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if !names_a_host(text) {
            return None;
        }
        let host = HostName::new(text);
        let name = host.as_str();
        Some(match name.strip_prefix("*.") {
            _ if name == "*" => Self::Any,
            Some(rest) if !rest.contains('*') => Self::Below(HostName::new(rest)),
            _ if !name.contains('*') => Self::Exact(host),
            _ => Self::Labels(name.split('.').map(Into::into).collect()),
        })
    }

    /// Whether the rule is for that host.
    pub(crate) fn matches(&self, host: &HostName) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(name) => name == host,
            Self::Below(name) => host
                .as_str()
                .strip_suffix(name.as_str())
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            Self::Labels(labels) => matches_labels(labels, host.as_str()),
        }
    }

    /// Whether an allow with this pattern is for that host. One that may look like another has to be named: whoever wrote a
    /// wildcard had hosts in mind that they would know.
    pub(crate) fn allows(&self, host: &HostName) -> bool {
        self.matches(host) && (!host.may_look_alike() || self.names_look_alikes())
    }

    fn names_look_alikes(&self) -> bool {
        match self {
            Self::Any => false,
            Self::Exact(name) | Self::Below(name) => name.may_look_alike(),
            Self::Labels(labels) => labels
                .iter()
                .any(|label| HostName::new(label).may_look_alike()),
        }
    }
}

/// Whether a host can be named so: no scheme, path or port, no label without a letter.
fn names_a_host(text: &str) -> bool {
    let bare = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    if bare.unwrap_or(text).parse::<Ipv6Addr>().is_ok() {
        return true;
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    let stranger = |char: char| matches!(char, '/' | ':' | '@' | '?' | '#') || char.is_whitespace();
    !name.contains(stranger) && name.split('.').all(|label| !label.is_empty())
}

/// The first label may be `*`, which then stands for any number of labels.
fn matches_labels(labels: &[Box<str>], host: &str) -> bool {
    let there: Vec<&str> = host.split('.').collect();
    let (labels, there) = match labels.split_first() {
        Some((first, rest)) if &**first == "*" && there.len() > rest.len() => {
            (rest, there.get(there.len() - rest.len()..).unwrap_or(&[]))
        }
        _ => (labels, &*there),
    };
    labels.len() == there.len()
        && labels
            .iter()
            .zip(there)
            .all(|(label, there)| crate::wild::Wild::starred(label).matches(there.as_bytes()))
}
