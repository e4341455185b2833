"""Schedules that run somewhere else: a workflow of GitHub Actions."""
