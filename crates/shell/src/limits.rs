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
pub(crate) const DEPTH_MAX: u32 = 130;

/// Simple commands in one line.
pub(crate) const PARTS_MAX: u32 = 2_000;

/// Texts inside texts that are read as scripts of their own: `sh -c`, `eval`, a function's body.
pub(crate) const SCRIPT_DEPTH_MAX: u32 = 8;

/// Commands inside each other through all texts of a line. With [`DEPTH_MAX`] for each of them the
/// walk's recursion would outgrow a thread's stack.
pub(crate) const WALK_DEPTH_MAX: u32 = 160;

/// Effects listed for one line. Loops with known words repeat their body until this is used up.
pub(crate) const EFFECTS_MAX: usize = 6_000;

/// Variables that one line may set.
pub(crate) const VARIABLES_MAX: usize = 100;

/// Values that one variable may have, and readings that one command's words may have, before the
/// analyser stops telling them apart.
pub(crate) const ALTERNATIVES_MAX: usize = 16;

/// Words that one word's braces may make.
pub(crate) const BRACES_MAX: usize = 256;

/// Characters of a word in which braces are expanded; each brace looks for its partner.
pub(crate) const BRACE_CHARS_MAX: usize = 2_048;

/// Fields that the words of one command, or of one list, may become. A line that anyone vouches for
/// has fewer words.
pub(crate) const FIELDS_MAX: usize = 8_192;

/// Bytes of the texts of those fields.
pub(crate) const FIELD_BYTES_MAX: usize = 256 * 1024;

/// Substitutions inside each other whose output is worked out: `$(echo $(echo rm))`.
pub(crate) const OUTPUT_DEPTH_MAX: u32 = 4;

/// Bytes that the parser may read again, in proportion to the text, where only what follows tells
/// what something is: `$((` opens an expression or a subshell.
pub(crate) const AGAIN_PER_BYTE: usize = 8;

/// Bytes of a literal that the analyser builds from variables and braces.
pub(crate) const VALUE_BYTES_MAX: usize = 16 * 1024;
