"""Synthetic worlds: fictional domains without end, each a function of a seed and an index."""

from perennial.tasks.kumo.worlds.world import CATEGORY, LEAST_ACTIONS, LEAST_TRUTHS, World, draw_world

__all__ = ["CATEGORY", "LEAST_ACTIONS", "LEAST_TRUTHS", "World", "draw_world"]
