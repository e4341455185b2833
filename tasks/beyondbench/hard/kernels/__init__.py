"""Compiled searches of the Hard tasks: imported when a problem is first drawn or solved."""
