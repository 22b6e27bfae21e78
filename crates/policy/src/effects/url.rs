//! The host that a URL really names.

use pointsman_model::{HostName, HostUse};

/// The connection that fetching a URL makes. The host is known for `http` and `https` alone; user, port and path are
/// no part of it.
pub(super) fn connection(url: &str) -> HostUse {
    HostUse {
        host: host_of(url),
        source: url.into(),
        span: None,
    }
}

fn host_of(url: &str) -> Option<HostName> {
    let (scheme, rest) = url.trim().split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    // Browsers take a backslash for a slash there.
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let name = match host.strip_prefix('[') {
        Some(inner) => {
            let (address, _) = inner.split_once(']')?;
            return Some(HostName::new(&format!("[{address}]")));
        }
        None => host.split(':').next()?,
    };
    let plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '.' | '_');
    (!name.is_empty() && name.chars().all(plain)).then(|| HostName::new(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: Option<&str>) {
        assert_eq!(host_of(url).as_ref().map(HostName::as_str), expect, "{url}");
    }

    #[test]
    fn the_host_is_what_is_connected_to() {
        check("https://example.com/a?b#c", Some("example.com"));
        check("HTTP://Example.COM.:8080", Some("example.com"));
        check("https://example.com@evil.test/", Some("evil.test"));
        check("https://evil.test\\@example.com/", Some("evil.test"));
        check("https://[::1]:80/", Some("[::1]"));
        check("file:///etc/passwd", None);
        check("example.com", None);
        check("https://a%2eb/", None);
    }
}
