"""The ways through perennial that its users go, each from the first command to what they look at.

Read these first: each module is one user's day, told by the commands typed and by what is then seen.
A test elsewhere may show that a part works; one here shows that somebody gets from one end to the other.
"""
