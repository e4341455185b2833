"""The ledger of model calls."""
