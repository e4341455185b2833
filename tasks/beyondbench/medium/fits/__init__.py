"""Fits: which rules agree with the shown terms exactly, and what they say comes next.

They share no code with the families: a next term is proved by two computations.
"""
