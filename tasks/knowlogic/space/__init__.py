"""Domain space: who sits or what stands where (KnowLogic, appendices C, D and I)."""
