"""What can be said of the slots of each family of scenes."""
