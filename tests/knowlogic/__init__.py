"""Tests of KnowLogic."""
