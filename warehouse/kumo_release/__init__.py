"""The KUMO authors' repository as it lies on a disk: where its files are, and their text."""
