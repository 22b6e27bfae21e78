//! What people touch: the terminal prompt, the control socket; they implement Answerer.
