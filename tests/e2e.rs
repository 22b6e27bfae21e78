//! End-to-end tests of the program as people run it.
