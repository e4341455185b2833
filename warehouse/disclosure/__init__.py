"""What becomes known of an edition, and when: its seed, its private instances, an export."""
