//! Lines and what they come to, as text.
