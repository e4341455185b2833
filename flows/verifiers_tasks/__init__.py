"""Environments of verifiers (PyPI `verifiers`): its models train and are evaluated on practice questions."""
