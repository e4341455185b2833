"""Questions of space whose things are called by what they are like (spec "Mix")."""
