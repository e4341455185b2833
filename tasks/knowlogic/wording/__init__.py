"""From propositions to sentences in both languages, and back."""
