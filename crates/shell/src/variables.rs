//! What setting a variable may do.

use pointsman_model::AssignmentWeight;

/// Change how a program speaks or how much it says, never what it does. From the names that Claude
/// Code ignores when it matches allow rules, without those that carry secrets; locale and look.
const HARMLESS: [&str; 49] = [
    "BLOCKSIZE",
    "BLOCK_SIZE",
    "CGO_ENABLED",
    "CHARSET",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "GCC_COLORS",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
    "GO111MODULE",
    "GOARCH",
    "GOEXPERIMENT",
    "GOOS",
    "GREP_COLOR",
    "GREP_COLORS",
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "LINES",
    "LSCOLORS",
    "LS_COLORS",
    "NODE_ENV",
    "NO_COLOR",
    "PYTEST_DEBUG",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TIME_STYLE",
    "TZ",
];

/// Change what is found, loaded or started.
const CHANGE_WHAT_RUNS: [&str; 130] = [
    "AR",
    "BASHOPTS",
    "BASH_ALIASES",
    "BASH_CMDS",
    "BASH_ENV",
    "BASH_LOADABLES_PATH",
    "BASH_XTRACEFD",
    "BROWSER",
    "BUNDLE_GEMFILE",
    "CC",
    "CDPATH",
    "CLASSPATH",
    "COMPOSER_HOME",
    "CURL_HOME",
    "CXX",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "EDITOR",
    "ENV",
    "EXECIGNORE",
    "FCEDIT",
    "FPATH",
    "GCONV_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "GLOBIGNORE",
    "GOFLAGS",
    "GOPATH",
    "GOPROXY",
    "GOROOT",
    "GRADLE_OPTS",
    "GREP_OPTIONS",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "HISTFILE",
    "IFS",
    "INPUTRC",
    "JAVA_HOME",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "KUBECONFIG",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "LUA_INIT",
    "LUA_PATH",
    "MAIL",
    "MAILPATH",
    "MAKEFLAGS",
    "MAKEFILES",
    "MANPAGER",
    "MAVEN_OPTS",
    "MORE",
    "NLSPATH",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "PAGER",
    "PATH",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PHPRC",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "R_PROFILE",
    "RIPGREP_CONFIG_PATH",
    "RSYNC_RSH",
    "RUBYLIB",
    "RUBYOPT",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    "SHELL",
    "SHELLOPTS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SSH_AUTH_SOCK",
    "SSLKEYLOGFILE",
    "VISUAL",
    "ACK_OPTIONS",
    "ANT_ARGS",
    "ANT_OPTS",
    "AWKLIBPATH",
    "AWKPATH",
    "DOTNET_STARTUP_HOOKS",
    "ENGINESDIR",
    "EXINIT",
    "FZF_DEFAULT_OPTS",
    "GOENV",
    "GOTOOLCHAIN",
    "GRADLE_USER_HOME",
    "LIBPATH",
    "MAVEN_ARGS",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "PSQLRC",
    "RUBYSHELL",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SBT_OPTS",
    "SHLIB_PATH",
    "TAR_OPTIONS",
    "VIMINIT",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
    "COMPILER_PATH",
    "DOCKER_CERT_PATH",
    "DOCKER_CONFIG",
    "GCC_EXEC_PREFIX",
    "GH_CONFIG_DIR",
    "GH_HOST",
    "HOME",
    "HOSTALIASES",
    "MAGIC",
    "MANOPT",
    "MANPATH",
    "MANROFFOPT",
    "TERMCAP",
    "TERMINFO",
    "TERMINFO_DIRS",
];

/// Beginnings of names that change what is found, loaded or started.
const CHANGING_PREFIXES: [&str; 14] = [
    "BASH_FUNC_",
    "CARGO_",
    "CMAKE_",
    "DYLD_",
    "GIT_",
    "GLIBC_",
    "LD_",
    "MALLOC_",
    "NPM_CONFIG_",
    "PIP_",
    "PYTHON",
    "UV_",
    "npm_config_",
    "XDG_",
];

/// Endings of names that hold a command: `SYSTEMD_PAGER`, `FZF_DEFAULT_COMMAND`.
const CHANGING_ENDINGS: [&str; 8] = [
    "PAGER", "EDITOR", "ASKPASS", "_COMMAND", "_LINKER", "_RUNNER", "_SHELL", "_WRAPPER",
];

/// Lower-case names that programs look at.
const LOWER_CASE: [&str; 12] = [
    "all_proxy",
    "cdpath",
    "fpath",
    "ftp_proxy",
    "http_proxy",
    "https_proxy",
    "mailpath",
    "manpath",
    "module_path",
    "no_proxy",
    "path",
    "rsync_proxy",
];

/// What the assignment may do to commands that see it.
pub(crate) fn weigh(name: &str) -> AssignmentWeight {
    if HARMLESS.contains(&name) {
        AssignmentWeight::Harmless
    } else if CHANGE_WHAT_RUNS.contains(&name)
        || LOWER_CASE.contains(&name)
        || CHANGING_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
        || CHANGING_ENDINGS.iter().any(|end| name.ends_with(end))
    {
        AssignmentWeight::ChangesWhatRuns
    } else {
        AssignmentWeight::Unlisted
    }
}

/// Names whose value says which files of a language are loaded: harmless as long as it is the name of one.
const LOCALES: [&str; 12] = [
    "LANG",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
];

/// The same, with a look at the value; `None` for one that is not known, or none at all.
pub(crate) fn weigh_value(name: &str, value: Option<&str>) -> AssignmentWeight {
    match weigh(name) {
        AssignmentWeight::Harmless
            if LOCALES.contains(&name) && !value.is_some_and(names_a_locale) =>
        {
            AssignmentWeight::Unlisted
        }
        weight => weight,
    }
}

/// `C`, `POSIX`, `de_DE.UTF-8@euro`, or nothing.
fn names_a_locale(text: &str) -> bool {
    let (text, modifier) = text.split_once('@').unwrap_or((text, ""));
    let (text, charset) = text.split_once('.').unwrap_or((text, ""));
    let (language, territory) = text.split_once('_').unwrap_or((text, ""));
    let plain = |text: &str, others: &[u8]| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
    };
    let lower = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    let language = match language {
        "" | "C" | "POSIX" => true,
        _ => matches!(language.len(), 2 | 3) && lower(language),
    };
    language && plain(territory, b"") && plain(charset, b"-_") && plain(modifier, b"")
}

/// Whether the name is one of something that nobody wants shown.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
        "ACCESS_KEY",
    ]
    .iter()
    .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_is_known_by_its_value() {
        for value in [
            "C",
            "POSIX",
            "",
            "C.UTF-8",
            "en_US.UTF-8",
            "de_DE.iso88591@euro",
            "eo",
        ] {
            assert_eq!(
                weigh_value("LANG", Some(value)),
                AssignmentWeight::Harmless,
                "{value}"
            );
        }
        for value in [Some("1"), Some("a"), Some("../x"), Some("en_US/../x"), None] {
            assert_eq!(
                weigh_value("LC_ALL", value),
                AssignmentWeight::Unlisted,
                "{value:?}"
            );
        }
        assert_eq!(
            weigh_value("NO_COLOR", Some("1")),
            AssignmentWeight::Harmless
        );
    }

    #[test]
    fn names_are_weighed() {
        for (name, expect) in [
            ("LANG", AssignmentWeight::Harmless),
            ("NODE_ENV", AssignmentWeight::Harmless),
            ("GIT_TERMINAL_PROMPT", AssignmentWeight::Harmless),
            ("FOO", AssignmentWeight::Unlisted),
            ("PATH", AssignmentWeight::ChangesWhatRuns),
            ("LD_PRELOAD", AssignmentWeight::ChangesWhatRuns),
            ("GIT_SSH_COMMAND", AssignmentWeight::ChangesWhatRuns),
            ("PYTHONPATH", AssignmentWeight::ChangesWhatRuns),
            ("https_proxy", AssignmentWeight::ChangesWhatRuns),
            ("SYSTEMD_PAGER", AssignmentWeight::ChangesWhatRuns),
            ("TAR_OPTIONS", AssignmentWeight::ChangesWhatRuns),
        ] {
            assert_eq!(weigh(name), expect, "{name}");
        }
    }
}
