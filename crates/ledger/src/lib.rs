//! What happened: the one SQLite database, its writer and its transactions; why, export, verify.
