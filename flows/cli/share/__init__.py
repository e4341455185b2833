"""Commands that exchange editions with others."""
