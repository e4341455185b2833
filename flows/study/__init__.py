"""A study: what people see, do and publish."""
