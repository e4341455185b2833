"""Knowledge tables, views and audit rules of KnowLogic."""
