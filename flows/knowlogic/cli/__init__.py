"""Commands of KnowLogic."""
