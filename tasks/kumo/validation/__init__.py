"""Validation: every rule that a seed configuration must keep."""

from perennial.tasks.kumo.validation.rules import RULES, RuleInfo
from perennial.tasks.kumo.validation.validate import one_to_one_share, refuse_unsafe, validate_config

__all__ = ["RULES", "RuleInfo", "one_to_one_share", "refuse_unsafe", "validate_config"]
