"""KnowLogic: its stages, commands and settings, joined to the shared flows."""
