"""The optimum under the promise of how many truths survive: the fewest expected tests of any policy."""
