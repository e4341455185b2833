"""The settings of a refresh: flags over environment over perennial.toml over defaults."""

from perennial.schemas.settings.refresh import AnalystSettings, EditionName, RefreshSettings, load_settings

__all__ = ["AnalystSettings", "EditionName", "RefreshSettings", "load_settings"]
