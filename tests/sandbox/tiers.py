"""The tiers that work on this machine, and how workers are started in each."""

from perennial.tasks.sandbox.tier import Jail, find_protection

PROTECTION = find_protection()
JAILS = {"none": Jail(use_seccomp=False)}
if PROTECTION.tier != "none":
    JAILS["seccomp"] = Jail()
if PROTECTION.tier == "bubblewrap":
    JAILS["bubblewrap"] = PROTECTION.jail
KERNEL_JAILS = [tier for tier in JAILS if tier != "none"]
