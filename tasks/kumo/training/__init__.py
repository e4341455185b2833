"""The overfitting experiment: disjoint halves of a domain, and golden play as training data."""
