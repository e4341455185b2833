"""Exact search: expected steps and golden trajectories (Algorithm 3), and the optimum under the promise."""
