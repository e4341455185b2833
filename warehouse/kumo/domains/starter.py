"""The starter files of a new domain: a small example that builds, with comments that explain it."""

import json

from perennial.schemas.kumo.things import CATEGORIES

_FACTS = """\
truth,note,source,shell_length,foot,habitat
Common periwinkle,A small snail that people eat.,Who states these facts,10..52,one,rock|weed
Blue mussel,It holds on to the rock with threads.,"A book and its page, or a paper",30..100,threads,rock
Lugworm,It leaves coiled casts.,It has no shell: an empty cell claims nothing,,none,sand
Shore crab,It runs sideways.,Only what two readers hold to be true,,legs,rock|sand|weed
"""

_ACTIONS = """\
# The premise: say here what a player has before them, and what the cells of facts.csv mean.
# Example: one grown specimen, alive, found between the tide marks. A cell says what is possible of it.
#
# Cells of facts.csv (one column an attribute, after truth, note and source):
#   a|b       words: these values are possible, no others
#   7         a number; 6.5..7 an interval in which the number lies
#   (empty)   nothing is claimed: no state of an action on this attribute rules the truth out
# The source says for each truth why its cells are true: it is for a second reader, and stays in the table.
# Put cells with a comma in double quotes.
#
# A domain that is published has 50 truths and 30 actions at least: `perennial domains validate` counts them.
name = {title}
goal = "Find out which animal was found in the tide pool, by looking at it."
# One of {categories}; or one of your own.
category = {category}
truth_noun = "animal"
action_noun = "observation"
book_title = {book_title}

# A str action: each state is a label. With `values` it rules out the truths that have none of these
# values, with `excludes` those that have no others, with neither it rules out nothing.
[[action]]
name = "Look underneath"
note = "The animal is turned over and what it holds on with is noted."
attribute = "foot"
kind = "str"
states = [
    {{ label = "a single broad foot", values = ["one"] }},
    {{ label = "threads", values = ["threads"] }},
    {{ label = "neither", excludes = ["one", "threads"] }},
]

[[action]]
name = "Note the place"
note = "It is written down where in the pool the animal was."
attribute = "habitat"
kind = "str"
states = [
    {{ label = "on rock", values = ["rock"] }},
    {{ label = "in sand", values = ["sand"] }},
    {{ label = "on weed", values = ["weed"] }},
]

# A float action: each state is a range [from, to). It rules out the truths whose interval has no
# point in it. Leave no gap between ranges; `unit` is optional. Its numbers are
# shown as multiples of `step`, or with so many significant `digits`: write one of the two.
[[action]]
name = "Measure the shell"
note = "The longest side of the shell is measured with callipers."
attribute = "shell_length"
kind = "float"
unit = "mm"
step = 1
states = [
    {{ range = [0, 25] }},
    {{ range = [25, 60] }},
    {{ range = [60, 120] }},
]
"""


def starter_facts() -> str:
    """Return the table of facts that a new domain begins with."""
    return _FACTS


def starter_actions(name: str, category: str) -> str:
    """Return the TOML that a new domain of this name begins with."""
    title = name.replace("_", " ").replace("-", " ").title()
    return _ACTIONS.format(
        title=_quote(title),
        category=_quote(category),
        book_title=_quote(f"A Guide to {title}"),
        categories=", ".join(CATEGORIES),
    )


def _quote(text: str) -> str:
    """The text as a TOML string: JSON's form of one is TOML's too."""
    return json.dumps(text, ensure_ascii=False)
