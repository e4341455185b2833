"""Questions about what stands at four numbered places, described by what things are like (spec "Nature")."""
