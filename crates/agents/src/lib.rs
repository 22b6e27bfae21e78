//! Who asks: the scripted agent (steps) and those that follow.
