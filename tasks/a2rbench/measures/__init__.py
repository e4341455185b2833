"""Measures of items and of wrong answers: code, regularity of inputs, diversity."""
