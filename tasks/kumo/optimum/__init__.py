"""The optimum under the promise that exactly one truth survives: the fewest expected tests of any policy."""
