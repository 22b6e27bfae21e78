//! May it be done: rules and their index, sources, settings, paths, modes, the ladder, the case runner.
