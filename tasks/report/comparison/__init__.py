"""An edition beside another one of the same benchmark."""
