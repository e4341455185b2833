"""Domain social: general relations between people; kinship and surnames have folders of their own."""
