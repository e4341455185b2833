"""Types of KnowLogic."""
