//! Hosts that serve documentation and nothing else: fetching a page from one needs no rule, as in the agents whose
//! settings are read. Deny and ask rules, and mode plan, come before.

use pointsman_model::HostUse;

/// Hosts by exact name.
const HOSTS: &[&str] = &[
    "angular.io",
    "bun.sh",
    "cloud.google.com",
    "code.claude.com",
    "cypress.io",
    "d3js.org",
    "developer.android.com",
    "developer.apple.com",
    "developer.mozilla.org",
    "doc.rust-lang.org",
    "docs.aws.amazon.com",
    "docs.python.org",
    "docs.spring.io",
    "docs.swift.org",
    "fastapi.tiangolo.com",
    "flask.palletsprojects.com",
    "getbootstrap.com",
    "jquery.com",
    "jupyter.org",
    "keras.io",
    "kotlinlang.org",
    "kubernetes.io",
    "modelcontextprotocol.io",
    "nextjs.org",
    "nginx.org",
    "numpy.org",
    "pandas.pydata.org",
    "pytorch.org",
    "redux.js.org",
    "ruby-doc.org",
    "selenium.dev",
    "symfony.com",
    "threejs.org",
    "vuejs.org",
    "webpack.js.org",
    "www.ansible.com",
    "www.mongodb.com",
    "www.postgresql.org",
    "www.terraform.io",
];

/// Hosts that serve more than documentation, with the folder of it.
const FOLDERS: &[(&str, &str)] = &[
    ("github.com", "/anthropics"),
    ("huggingface.co", "/docs"),
    ("vercel.com", "/docs"),
];

/// Whether an address lies on a page of documentation.
pub(crate) fn is_documentation(used: &HostUse) -> bool {
    let Some(host) = used.host.as_ref().map(|host| host.as_str()) else {
        return false;
    };
    let Some(rest) = used.source.strip_prefix("https://") else {
        return false;
    };
    let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/");
    // A query or a step upwards says more than which page is meant.
    let plain = !path.contains(['?', '#', '%', '\\']) && !path.split('/').any(|part| part == "..");
    let within = |folder: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    plain
        && (HOSTS.contains(&host)
            || FOLDERS
                .iter()
                .any(|(at, folder)| *at == host && within(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::HostName;

    fn is(host: &str, url: &str) -> bool {
        is_documentation(&HostUse {
            host: Some(HostName::new(host)),
            source: url.into(),
            span: None,
        })
    }

    #[test]
    fn pages_alone_are_documentation() {
        assert!(is("numpy.org", "https://numpy.org/doc"));
        assert!(is("github.com", "https://github.com/anthropics/x"));
        assert!(!is("github.com", "https://github.com/anthropics-evil/x"));
        assert!(!is("github.com", "https://github.com/anthropics/../x"));
        assert!(!is("numpy.org", "https://numpy.org/doc?secret=1"));
        assert!(!is("numpy.org", "http://numpy.org/doc"));
        assert!(!is("x.numpy.org", "https://x.numpy.org/"));
    }
}
