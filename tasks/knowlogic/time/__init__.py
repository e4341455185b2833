"""Domain time: years of a life, and days of a week (section 2.1 of the paper)."""
