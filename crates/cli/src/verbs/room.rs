//! Whether the disk takes what a run records: what can't be recorded is not asked, and does not run.

use crate::place::Place;

/// What to do where the state folder can't be written.
pub(super) const FOLDER_HINT: &str =
    "set `XDG_STATE_HOME` to a folder of yours that can be written";
/// What to do where its disk is full, or nearly.
pub(super) const ROOM_HINT: &str =
    "give it room, or set `XDG_STATE_HOME` to a folder on another disk";

/// With less than this a leader can't write its first records: SQLite makes its files by hundreds of KiB.
const BYTES_MIN: u64 = 1024 * 1024;
/// With less than this a long run may fill the disk: at some 4 KiB a call, it is room for 16,000 calls.
const BYTES_LITTLE: u64 = 64 * 1024 * 1024;

/// How much the disk still takes.
pub(super) enum Room {
    Enough,
    /// For some calls, in these words.
    Little(String),
    /// For none, in these words.
    None(String),
}

/// Looks at the disk that holds this project's records, or would.
pub(super) fn room(place: &Place) -> Room {
    match place.state.room() {
        Ok(bytes) if bytes < BYTES_MIN => Room::None(format!(
            "its disk has {} KiB left: calls that can't be recorded don't run",
            bytes / 1024
        )),
        Ok(bytes) if bytes < BYTES_LITTLE => Room::Little(format!(
            "its disk has {} MiB left: a long run may need more",
            bytes / (1024 * 1024)
        )),
        // A disk that says nothing of itself may be well.
        Ok(_) | Err(_) => Room::Enough,
    }
}

/// The same in a sentence of its own, where there is too little.
pub(super) fn room_remark(place: &Place) -> Option<String> {
    match room(place) {
        Room::Enough => None,
        Room::Little(text) | Room::None(text) => Some(format!(
            "the state folder `{}`: {text}; {ROOM_HINT}",
            place.state.folder()
        )),
    }
}
