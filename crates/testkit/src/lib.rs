//! For tests alone: fake clock, scripted answerers, fixtures.
