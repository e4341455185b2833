"""Figures of KnowLogic: accuracy by the labels of questions, errors, tokens, languages paired."""
