"""What things are: pure types without input or output."""
