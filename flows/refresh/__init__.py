"""The refresh: plan, flow, publication."""
