"""Reversible rules written and reviewed as our own code: ten or more per cell of the grid."""

from perennial.tasks.a2rbench.catalogue import (
    cube_semantic,
    cube_symbolic,
    grid_semantic,
    grid_symbolic,
    line_semantic,
    line_symbolic,
)
from perennial.tasks.a2rbench.catalogue.rule import Rule

# All rules of the catalogue, by name.


_MODULES = (line_symbolic, line_semantic, grid_symbolic, grid_semantic, cube_symbolic, cube_semantic)
RULES: dict[str, Rule] = {rule.name: rule for module in _MODULES for rule in module.RULES}
