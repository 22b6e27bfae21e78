//! Open requests and their one verdict: the table, digest, expiry, grants, mailbox.
