"""The size of the instance space: how many distinct instances of a domain and setting there are."""

from tasks.kumo.space.collision import repeat_probability
from tasks.kumo.space.size import SpaceSize, space_size

__all__ = ["SpaceSize", "repeat_probability", "space_size"]
