"""Questions in the form that the authors published."""
