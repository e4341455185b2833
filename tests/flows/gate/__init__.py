"""The gate of KUMO: what is broken in what is staged stops the edition, and is named."""
