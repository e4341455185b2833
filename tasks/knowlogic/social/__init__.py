"""Domain social: general relations between people; kinship is a scenario of its own folder."""
