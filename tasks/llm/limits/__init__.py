"""What keeps calls within limits."""
