"""Players of KnowLogic that need no model."""
