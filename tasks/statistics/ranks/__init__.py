"""Who is ahead: common instances, adjusted rates, a scale over editions."""
