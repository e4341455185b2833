"""All visible editions of a data root as a static website."""
