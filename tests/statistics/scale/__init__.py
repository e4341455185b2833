"""Tests of the scale over editions."""
