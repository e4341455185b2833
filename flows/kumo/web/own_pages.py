"""What KUMO adds to the explorer: its instances, and how they are solved."""

from perennial.flows.kumo.web.instance import show_instance
from perennial.flows.kumo.web.instances import INSTANCES
from perennial.flows.kumo.web.optimum import show_optimum
from perennial.flows.web.page import OwnPages

PAGES = OwnPages((INSTANCES,), instance=show_instance, reference=show_optimum)
