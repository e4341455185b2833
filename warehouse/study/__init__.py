"""The ledger of a study."""
