"""What KUMO adds to the explorer: its leaderboard, its instances, and how they are solved."""

from flows.kumo.web.actions import ACTIONS
from flows.kumo.web.instance import show_instance
from flows.kumo.web.optimum import show_optimum
from flows.web.page import OwnPages

PAGES = OwnPages((ACTIONS,), instance=show_instance, reference=show_optimum)
