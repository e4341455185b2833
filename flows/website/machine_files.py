"""What programs read of a website: `scores.json` with its schema, and an Atom feed of editions."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from uuid import NAMESPACE_URL, uuid5

from perennial.flows.website.visible import Edition, present
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.statistics import LINES
from perennial.tasks.website.names import data_folder, edition_file, player_file
from perennial.tasks.website.render import render

FORMAT = 1
_MOST_ENTRIES = 50
_FIGURES = ("rank", "instances", "success_rate", "success_rate_low", "success_rate_high", "population")


def scores_json(editions: Sequence[Edition], rows: Sequence[Row], sizes: Mapping[str, Row]) -> bytes:
    """Return every success rate on a leaderboard, and what the editions are; a score per line."""
    head = {
        "$schema": "scores.schema.json",
        "format": FORMAT,
        "generator": f"perennial {version('perennial-bench')}",
        "editions": [_describe_edition(edition, sizes[edition.name]) for edition in editions],
    }
    scores = [
        {name: row[name] for name in ("benchmark", "edition", "setting", "player", *_FIGURES)}
        | {
            "group": row["player_group"] or "",
            "page": None if row["player_group"] in LINES else player_file(row["player"]),
        }
        for row in rows
    ]
    lines = ",\n".join(json.dumps(score, sort_keys=True, allow_nan=False) for score in scores)
    text = json.dumps(head, sort_keys=True, indent=1, allow_nan=False)
    return f'{text[:-2]},\n "scores": [\n{lines}\n]\n}}\n'.encode()


def _describe_edition(edition: Edition, size: Row) -> JsonObject:
    return {
        "edition": edition.name,
        "benchmark": edition.benchmark,
        "published": _instant(edition.created_at),
        "updated": _instant(edition.updated_at),
        "freshness": edition.plan.freshness,
        "instances": size["instances"],
        "private_share": edition.plan.private_share,
        "is_retired": edition.is_retired,
        "seed_commitment": edition.plan.seed_commitment,
        "seed": None if edition.seed is None else str(edition.seed),
        "canary": edition.plan.canary,
        "manifest_sha256": edition.manifest_sha256,
        "page": edition_file(edition.name),
        "checksums": f"{data_folder(edition.name)}/SHA256SUMS" if edition.has_download else None,
    }


def scores_schema() -> bytes:
    """Return the JSON schema (draft 2020-12) of `scores.json`."""
    text, number, rate = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "number"}
    instant = {"type": "string", "format": "date-time"}
    edition = {
        "edition": text,
        "benchmark": text,
        "published": {**instant, "description": "when its questions were published"},
        "updated": {**instant, "description": "when its newest answers were published"},
        "freshness": {"enum": ["fresh", "replayed, not fresh", "imported"]},
        "instances": number,
        "private_share": {**rate, "minimum": 0, "maximum": 1},
        "is_retired": {"type": "boolean", "description": "whether its private instances are in downloads"},
        "seed_commitment": {
            **text,
            "description": "SHA-256 of the decimal digits of the seed, empty without one",
        },
        "seed": {"type": ["string", "null"], "description": "decimal digits; null while it is secret"},
        "canary": text,
        "manifest_sha256": text,
        "page": text,
        "checksums": {"type": ["string", "null"], "description": "file of the SHA-256 of its downloads"},
    }
    share = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    score = {
        "benchmark": text,
        "edition": text,
        "setting": text,
        "player": text,
        "group": {
            **text,
            "description": "models, controls, checkpoints, people, reference or floor (programs); empty if "
            "not known",
        },
        "rank": {
            "type": ["integer", "null"],
            "minimum": 1,
            "description": "among the players of its kind; null for programs",
        },
        "instances": {**number, "description": "how many instances the rate rests on"},
        "success_rate": {**share, "description": "mean over instances of the mean over runs"},
        "success_rate_low": {**share, "description": "lower end of its 95% interval"},
        "success_rate_high": {**share, "description": "upper end of its 95% interval"},
        "population": {"type": ["string", "null"], "description": "what the interval is of"},
        "page": {"type": ["string", "null"], "description": "the player's page; null for programs"},
    }
    top = {
        "$schema": text,
        "format": {"const": FORMAT},
        "generator": text,
        "editions": {"type": "array", "items": _object(edition)},
        "scores": {"type": "array", "items": _object(score)},
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scores of perennial",
        **_object(top),
    }
    return (json.dumps(schema, indent=1, sort_keys=True) + "\n").encode()


def _object(properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }


def feed(editions: Sequence[Edition], sizes: Mapping[str, Row]) -> bytes:
    """Return the Atom feed (RFC 4287) of the newest editions; times are those of publication."""
    entries = [
        {
            "id": _urn(f"edition {edition.manifest_sha256}"),
            "title": f"{present(edition.benchmark).title}: {edition.name}",
            "published": _instant(edition.created_at),
            "updated": _instant(edition.updated_at),
            "href": edition_file(edition.name),
            "summary": _summarize(edition, sizes[edition.name]),
        }
        for edition in editions[:_MOST_ENTRIES]
    ]
    newest = max((edition.updated_at for edition in editions), default=datetime(1970, 1, 1, tzinfo=UTC))
    oldest = editions[-1].manifest_sha256 if editions else ""
    return render(
        "feed.xml.j2", {"feed_id": _urn(f"feed {oldest}"), "updated": _instant(newest), "entries": entries}
    )


def _summarize(edition: Edition, size: Row) -> str:
    return (
        f"{size['instances']:,} instances ({edition.plan.freshness}), answered by "
        f"{size['players']:,} players. "
        f"Commitment of its seed: {edition.plan.seed_commitment or 'none'}."
    )


def _urn(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'perennial site {name}')}"


def _instant(value: datetime) -> str:
    return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
