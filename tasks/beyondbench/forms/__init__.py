"""How answers are written and read: a form for each kind of answer."""
