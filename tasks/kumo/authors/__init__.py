"""Models as authors: they propose domains, configure them, and write, read back and revise books."""
