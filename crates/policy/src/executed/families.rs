//! Interpreters by what they have in common, each under all of its names: one list for all who look at what they run.
//! Versions (`python3.12`) need no name of their own.

/// Shells whose options are those of Bash, as far as they have them.
pub(super) const SHELLS: &[&str] = &["sh", "ash", "bash", "dash", "zsh", "ksh"];

/// Shells with options of their own.
pub(super) const OTHER_SHELLS: &[&str] = &["mksh", "yash", "fish"];

/// Python.
pub(super) const PYTHON: &[&str] = &["python", "python2", "python3", "pypy", "ipython"];

/// What runs as Node does.
pub(super) const NODE: &[&str] = &["node", "nodejs", "bun"];

/// Perl.
pub(super) const PERL: &[&str] = &["perl"];

/// Ruby.
pub(super) const RUBY: &[&str] = &["ruby"];

/// Lua.
pub(super) const LUA: &[&str] = &["lua", "luajit"];

/// Those of which no more is known than that their first plain word is a script.
pub(super) const PLAIN: &[&str] = &["php", "tclsh", "Rscript", "julia", "osascript"];
