"""What KUMO adds to the explorer: its instances, and how they are solved."""

from flows.kumo.web.instance import show_instance
from flows.kumo.web.instances import INSTANCES
from flows.kumo.web.optimum import show_optimum
from flows.web.page import OwnPages

PAGES = OwnPages((INSTANCES,), instance=show_instance, reference=show_optimum)
