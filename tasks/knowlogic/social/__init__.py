"""Domain social: general relations between people; kinship and surnames stand beside it."""
