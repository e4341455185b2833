"""What KUMO's public page says of it, and how a game is drawn: outcomes strike truths from the list."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from perennial.flows.website.examples import choose_question
from perennial.prompts.wording import plural
from perennial.schemas.kumo.things import BookRule
from perennial.schemas.presentation import (
    Card,
    ChosenGame,
    DrawnGame,
    Example,
    Mark,
    Panel,
    Presentation,
    ReadRows,
)
from perennial.schemas.rows import Row
from perennial.tasks.kumo.book_reading import quote_rule
from perennial.warehouse.catalog.confinement import quote

_INSTANCES = """
SELECT i.instance_id, i.truths, i.actions, i.valid_truths, d.goal, d.truth_noun, d.action_noun
FROM kumo_instances AS i
JOIN kumo_seed_configs AS c USING (config_id)
JOIN kumo_domains AS d USING (domain_id)
"""
_OUTCOMES = """
WITH shown AS (
    SELECT config_id, unnest(actions) AS action, unnest(states) AS state, unnest(observations) AS observation
    FROM kumo_instances WHERE instance_id = {instance}
)
SELECT s.observation, s.action, o.label, o.low, o.high, o.rules_out
FROM shown AS s JOIN kumo_outcomes AS o USING (config_id, action, state)
"""
_MOVES = """
SELECT m.kind, m.move, b.text FROM kumo_moves AS m
JOIN kumo_episodes AS k USING (evaluation, episode_id) LEFT JOIN kumo_books AS b USING (book_id)
WHERE m.evaluation = {evaluation} AND m.episode_id = {episode} ORDER BY m.turn
"""


class _Shown(NamedTuple):
    """What an action shows in the instance, and the rule that goes with it."""

    observation: str
    rule: BookRule


def draw_example(read: ReadRows, choices: Sequence[tuple[ChosenGame, ...]]) -> Example | None:
    """Draw the games of the choice with the fewest truths."""
    if (chosen := choose_question(read, choices, _INSTANCES, "length(i.truths)")) is None:
        return None
    row, games = chosen
    _, outcomes = read(_OUTCOMES.format(instance=quote(row["instance_id"])))
    observed = {
        action: _Shown(seen, BookRule(action, label, low, high, frozenset(out).intersection(row["truths"])))
        for seen, action, label, low, high, out in outcomes
    }
    question = (
        Panel(f"The {plural(row['truth_noun'])}: which one is it?", cards=tuple(map(Card, row["truths"]))),
        Panel(f"The {plural(row['action_noun'])} that can be made", cards=tuple(map(Card, row["actions"]))),
    )
    goal = (Panel(row["goal"]),) if row["goal"] else ()
    return Example((*goal, *question), tuple(_draw_game(read, game, row, observed) for game in games))


def _draw_game(read: ReadRows, game: ChosenGame, row: Row, observed: Mapping[str, _Shown]) -> DrawnGame:
    gone: dict[str, int] = {}
    panels = []
    sql = _MOVES.format(evaluation=quote(game.evaluation), episode=quote(game.episode_id))
    for turn, (kind, name, book) in enumerate(read(sql)[1], start=1):
        if kind == "action" and name in observed:
            observation, rule = observed[name]
            marks: dict[str, Mark] = {
                **dict.fromkeys(rule.rules_out, "struck"),
                **dict.fromkeys(gone, "gone"),
            }
            gone |= dict.fromkeys(rule.rules_out.difference(gone), turn)
            heading, quoted = f"{turn}. {name} shows {observation}", quote_rule(book or "", rule)
        elif name is not None:
            marks = {**dict.fromkeys(gone, "gone"), name: "right" if game.is_won else "wrong"}
            heading, quoted = f"{turn}. It names {name}", ""
        else:
            panels.append(Panel(f"{turn}. No move could be read", text=game.reply or ""))
            continue
        cards = tuple(Card(truth, marks.get(truth, "")) for truth in row["truths"])
        panels.append(Panel(heading, quoted, cards=cards))
    return DrawnGame(game, tuple(panels), "" if game.is_won else _explain(game, row, observed, gone))


def _explain(game: ChosenGame, row: Row, observed: Mapping[str, _Shown], gone: Mapping[str, int]) -> str:
    """Why the game was lost: what rules out the truth that it named."""
    named, right = game.answer, " or ".join(row["valid_truths"])
    if named is None:
        return f"The game ended {game.ended}. Right is {right}."
    if named in gone:
        return f"The outcome of turn {gone[named]} had ruled {named} out. Right is {right}."
    left = f"{len(row['truths']) - len(gone)} {plural(row['truth_noun'])}"
    against = next((action for action, proof in observed.items() if named in proof.rule.rules_out), None)
    hint = (
        f" {against} would have shown {observed[against].observation}, which rules {named} out."
        if against
        else ""
    )
    return f"It named {named} while {left} were still possible.{hint} Right is {right}."


PRESENTATION = Presentation(
    "KUMO",
    (
        "A player is shown a list of possible truths (diseases, minerals, composers), a list of actions "
        "(tests to run) and a book, which says which truths each outcome of an action rules out. Exactly one"
        " truth on the list is valid.",
        "In each turn the player takes an action and sees its outcome, or names a truth, which ends the "
        "game. It wins if no outcome rules out the truth that it named. Fewer actions are better.",
    ),
    "The optimum solves every instance with the fewest expected tests of any policy, because it uses "
    "throughout that exactly one truth is valid.",
    "optimum",
    "Lin et al., Generative evaluation of complex reasoning in large language models, 2025",
    draw_example,
)
