"""What the files of the KUMO authors' repository say: pure readers, text in and things out."""
