"""Published editions: manifest, verification, comparison, issued ids."""
