//! Who answers: hooks, classifier, the race guard, the three handlers.
