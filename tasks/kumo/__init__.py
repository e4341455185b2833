"""KUMO: a game of ruling out truths by tests (Lin et al., 2025)."""
