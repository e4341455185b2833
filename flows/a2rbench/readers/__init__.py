"""Models that read answers in an evaluation: the stage of analysts, and what readers cost."""
