"""The settings of a refresh of KUMO."""

from collections.abc import Mapping
from typing import Any

from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.settings import load_settings


def kumo_settings(flags: Mapping[str, Any]) -> KumoSettings:
    """Return KUMO's settings with these flags."""
    settings = load_settings(flags)
    assert isinstance(settings, KumoSettings)
    return settings
