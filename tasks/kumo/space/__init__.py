"""The size of the instance space: how many distinct instances of a domain and setting there are."""

from perennial.tasks.kumo.space.collision import repeat_probability, sufficient_size
from perennial.tasks.kumo.space.size import SpaceSize, count_boards, space_size

__all__ = ["SpaceSize", "count_boards", "repeat_probability", "space_size", "sufficient_size"]
