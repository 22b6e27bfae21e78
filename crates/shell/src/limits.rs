//! How much the analyser reads. Beyond a limit the answer is Opaque at once; nothing is cut.

/// Characters of a line that anyone vouches for. A longer one is analysed for what is denied, but
/// always asks; the number is the documented one of Claude Code.
pub(crate) const LINE_CHARS_MAX: usize = 10_000;

/// Bytes of a line that the fast scan still reads. Its work is linear and needs no second opinion.
pub(crate) const SCAN_BYTES_MAX: usize = 128 * 1024;

/// Bytes of a line that the full parser reads. Real command lines end below 10 KiB, here-documents
/// included; the second parser's time grows faster than its input beyond this.
pub(crate) const PARSE_BYTES_MAX: usize = 32 * 1024;

/// Constructs inside each other: groups, loops, quotes, substitutions. People stop at five; the
/// bound keeps recursion within a small stack.
pub(crate) const DEPTH_MAX: u32 = 72;

/// Substitutions inside each other. The second parser needs time that grows with the third power.
pub(crate) const SUBSTITUTION_DEPTH_MAX: u32 = 12;

/// Simple commands in one line.
pub(crate) const PARTS_MAX: u32 = 2_000;

/// Texts inside texts that are read as scripts of their own: `sh -c`, `eval`, a function's body.
pub(crate) const SCRIPT_DEPTH_MAX: u32 = 8;

/// Commands inside each other through all texts of a line. With [`DEPTH_MAX`] for each of them the
/// walk's recursion would outgrow a thread's stack.
pub(crate) const WALK_DEPTH_MAX: u32 = 150;

/// Effects listed for one line. Loops with known words repeat their body until this is used up.
pub(crate) const EFFECTS_MAX: usize = 6_000;

/// Variables that one line may set.
pub(crate) const VARIABLES_MAX: usize = 100;

/// Values that one variable may have, and readings that one command's words may have, before the
/// analyser stops telling them apart.
pub(crate) const ALTERNATIVES_MAX: usize = 16;

/// Words that one word's braces may make.
pub(crate) const BRACES_MAX: usize = 256;

/// Bytes of a literal that the analyser builds from variables and braces.
pub(crate) const VALUE_BYTES_MAX: usize = 16 * 1024;
