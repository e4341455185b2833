"""Questions about what stands at four numbered places, told by what things are like (spec "Nature")."""
