"""An edition of KnowLogic made by hand: five domains, pairs in two languages, programs and models.

Figures, views, report and pages need rows alone: no domain is built, and nothing is drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from perennial.schemas.ids import canonical_json, content_id
from perennial.schemas.knowlogic.things import ANALYSIS
from perennial.schemas.rows import Row
from perennial.schemas.tables import TABLES, staged_tables
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import edition_statistics

Rows = dict[str, list[Row]]

DOMAINS = ("space", "time", "social", "nature", "mix")
LANGUAGES = ("zh", "en")
PAIRS = 12
ANALYSTS = ("x", "y")
PROGRAMS = ("exact", "single")
# What a model's replies are, question after question, in Chinese and English: right, subset, superset,
# overlap, disjoint, no letters. Several runs have a sequence each, separated by a space.
MODELS: Mapping[str, tuple[str, str]] = {
    "m-large": ("RRRRRRRS", "RRRRRSPN"),
    "m-small": ("RSPODNR RRSRDNO", "RDSONRP RRDSSNR"),
    "other": ("RRDSRRR", "RRDSRRR"),
}
LETTERS = ("A", "BC", "ABD", "D", "AC")
TYPES = ("correct_statements", "precise_entity", "vague_slot", "incorrect_statements")
_CLASSES = {"S": "subset", "P": "superset", "O": "overlap", "D": "disjoint"}
_UNKNOWN = (
    *("scenario", "type", "precision", "properties", "relations", "rules", "chain_length", "variables"),
    *("level", "statements", "entities", "payload", "rejected_draws"),
)


def rows(
    models: Mapping[str, tuple[str, str]] = MODELS,
    languages: Sequence[str] = LANGUAGES,
    domains: Sequence[str] = DOMAINS,
    pairs: int = PAIRS,
    imported: bool = False,
) -> Rows:
    """Return the rows of every staged table.

    `other` answers nothing in domain mix, and the first reply of `m-large` was lost to an API error.
    """
    names = (*staged_tables("knowlogic", answers=False), *staged_tables("knowlogic", answers=True))
    tables: Rows = {name: [] for name in names}
    for domain in domains:
        for number in range(pairs):
            for language in languages:
                own = _question(domain, number, language)
                if imported:
                    own |= dict.fromkeys(_UNKNOWN)
                tables["knowlogic_questions"].append(own)
                tables["instances"].append(_instance(own, number))
                for player in (*PROGRAMS, *models):
                    if (player, domain) != ("other", "mix"):
                        _play(tables, own, player, number, models)
    add_analyses(tables)
    tables["messages"] = [{"message_id": "msg_1", "content": "what now?"}] if tables["calls"] else []
    return tables


def add_analyses(tables: Rows) -> None:
    """Add what two analysts say of wrong letters of models: they differ on one in four."""
    if not tables["calls"]:
        return
    for analyst in ANALYSTS:
        call = tiny_edition.call(f"call_{analyst}", "analyst", "ok", ANALYSIS.prompt)
        tables["calls"].append({**call, "model": analyst})
    right = {row["episode_id"]: row["letters"] for row in tables["knowlogic_answers"] if row["error_class"]}
    wrong = [
        row for row in tables["episodes"] if row["episode_id"] in right and row["player"] not in PROGRAMS
    ]
    for number, episode in enumerate(wrong):
        for place, analyst in enumerate(ANALYSTS):
            shift = place if number % 4 == 0 else 0
            category = ANALYSIS.wrong[(number // 3 + shift) % len(ANALYSIS.wrong)]
            tables["knowlogic_analyses"].append(
                {"episode_id": episode["episode_id"], "analyst": analyst, "outcome_category": category}
                | {"justification": "so", "call_id": f"call_{analyst}"}
            )


def arrow(made: Rows) -> dict[str, pa.Table]:
    """Return the rows as Arrow tables."""
    return {name: pa.Table.from_pylist(of, schema=TABLES[name].arrow_schema()) for name, of in made.items()}


def statistics(made: Rows) -> list[Row]:
    """Return the rows of table `statistics` of an edition of these rows."""
    return list(edition_statistics("knowlogic", arrow(made), 3, {}))


def publish(root: Path, made: Rows, edition: str = "k1") -> Store:
    """Publish the rows with their statistics; return the data root."""
    store, tables = Store(str(root)), arrow(made)
    tables["statistics"] = pa.Table.from_pylist(statistics(made), schema=TABLES["statistics"].arrow_schema())
    plan = tiny_edition.plan(edition, benchmark="knowlogic")
    own = {"domains": list(DOMAINS), "questions": PAIRS, "languages": list(LANGUAGES), "knowledge": ""}
    plan = replace(plan, growth=replace(plan.growth, own=own))
    tiny_edition.publish(store, plan, tables, [], datetime(2026, 1, 9, tzinfo=UTC))
    return store


def difficulty_of(number: int) -> str:
    """Return the class of the pair of that number: one easy, two medium, three hard in turn."""
    return ("easy", "medium", "medium", "hard", "hard", "hard")[number % 6]


def _question(domain: str, number: int, language: str) -> Row:
    letters = LETTERS[number % len(LETTERS)]
    pair = content_id("pair", domain, number)
    text = f"{'问题' if language == 'zh' else 'question'} {domain} {number}"
    return {
        "instance_id": content_id("kl", pair, language),
        "pair": pair,
        "language": language,
        "domain": domain,
        "scenario": f"{domain}_{'odd' if number % 2 else 'even'}",
        "type": TYPES[number % len(TYPES)],
        "precision": "precise" if number % 3 else "vague",
        "text": f"{text}: <b>one</b> $x$ statement",
        "question": f"{text}?",
        "options": [f"{text} {letter}" for letter in "ABCD"],
        "letters": letters,
        "has_none": letters == "D",
        "properties": ["color", "legs"][: number % 3],
        "relations": [f"{domain}_relation"],
        "rules": ["rule"],
        "chain_length": 1 + number % 3,
        "variables": canonical_json({"nm": number % 4, "al": number % 2}),
        "level": round(1 + 0.1 * (number % 7), 1),
        "difficulty": difficulty_of(number),
        "statements": 3,
        "entities": 5,
        "payload": "{}",
        "prompt": f"{text}: answer in brackets",
        "template_hash": "tpl",
        "rejected_draws": 0,
    }


def _instance(own: Row, index: int) -> Row:
    return {
        "instance_id": own["instance_id"],
        "benchmark": "knowlogic",
        "domain": own["domain"],
        "setting": own["difficulty"],
        "seed": 3,
        "index": index,
        "content_hash": own["instance_id"].removeprefix("kl_"),
        "cluster": own["instance_id"],
        "origin": own["instance_id"],
    }


def reply_to(right: str, wanted: str) -> str | None:
    """Return letters of a wanted class (`R`, `S`, `P`, `O`, `D`, `N`); disjoint where there are none."""
    wrong = [letter for letter in "ABCD" if letter not in right]
    found: str | None = None
    if wanted == "R":
        found = right
    elif wanted == "S":
        found = right[:-1]
    elif wanted == "P":
        found = "".join(sorted(right + wrong[0]))
    elif wanted == "O" and len(right) > 1:
        found = "".join(sorted(right[:-1] + wrong[-1]))
    return None if wanted == "N" else found or wrong[0]


def class_of(right: str, letters: str | None) -> str | None:
    """Return the error class of these letters."""
    if letters is None or letters == right:
        return None
    chosen, wanted = set(letters), set(right)
    if chosen < wanted or chosen > wanted:
        return "subset" if chosen < wanted else "superset"
    return "overlap" if chosen & wanted else "disjoint"


def _play(tables: Rows, own: Row, player: str, number: int, models: Mapping[str, tuple[str, str]]) -> None:
    is_model = player not in PROGRAMS
    sequences = models[player][LANGUAGES.index(own["language"])].split() if is_model else ["R"]
    place = number + DOMAINS.index(own["domain"])
    for run, wanted in enumerate(sequences):
        letters = "A" if player == "single" else reply_to(own["letters"], wanted[place % len(wanted)])
        is_lost = player == "m-large" and place == 0 and own["language"] == "zh"
        _add_episode(tables, own, player, run, None if is_lost else letters, number, is_lost)


def _add_episode(
    tables: Rows, own: Row, player: str, run: int, letters: str | None, number: int, is_lost: bool
) -> None:
    solved = letters == own["letters"]
    identity = content_id("ep", own["instance_id"], player, run)
    is_model = player not in PROGRAMS
    easier = ("easy", "medium", "hard").index(own["difficulty"])
    tokens = 100 * (easier + 1) + 10 * number + (0 if solved else 50) + run
    call_id = content_id("call", identity) if is_model else None
    tables["episodes"].append(
        {
            "episode_id": identity,
            "instance_id": own["instance_id"],
            "player": player,
            "run": run,
            "version": None,
            "status": "api_error" if is_lost else "solved" if solved else "wrong" if letters else "unparsed",
            "success": solved,
            "score": float(solved),
            "turns": 1,
            "tokens": tokens + 40 if is_model else None,
            "cost_usd": None,
            "seconds": 0.1,
        }
    )
    reply = None if is_model else f"[{letters}]"
    turn = {"turn": 1, "reply": reply, "feedback": None, "call_id": call_id}
    tables["turns"].append({"episode_id": identity, **turn})
    if call_id:
        call = tiny_edition.call(call_id, "player", "ok", "knowlogic/question.md.j2")
        tables["calls"].append({**call, "model": player, "prompt_tokens": 40, "completion_tokens": tokens})
    tables["knowlogic_answers"].append(
        {
            "episode_id": identity,
            "letters": letters,
            "extracted": letters is not None,
            "brackets": None if letters is None else "square",
            "error_class": class_of(own["letters"], letters),
        }
    )
