"""The pages of the public website: templates, drawings and what they are made from; no file system."""
