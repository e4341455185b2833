"""Scenario surnames of domain social: who has which surname, and who has the same one."""
