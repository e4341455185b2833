"""The paper of KnowLogic beside its own tables, and its printed items beside our engine."""
