//! The doing: dispatch and its states, built-in tools; declares Spawner.
