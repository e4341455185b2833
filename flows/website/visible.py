"""What a website shows of a data root: its visible editions, and the keys of what they are made from."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from uuid import NAMESPACE_URL, uuid5

from perennial.flows.benchmark import Benchmark, find_installed
from perennial.schemas.ids import canonical_json
from perennial.schemas.plan import EditionPlan
from perennial.schemas.presentation import Presentation
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.statistics import LINES
from perennial.schemas.units import split_unit
from perennial.tasks.website.names import data_folder, edition_file, player_file
from perennial.tasks.website.render import render
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.later_statistics import analysis_of, scale_files
from perennial.warehouse.disclosure import is_retired
from perennial.warehouse.editions.manifest import code_sha256, manifest_file, seal_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import reveal_file, revealed_seed
from perennial.warehouse.store.store import Store

_TIMES = "SELECT edition, created_at FROM editions ORDER BY edition"
_ANSWERED = "SELECT edition, max(created_at) FROM evaluations GROUP BY edition"


@dataclass(frozen=True, slots=True)
class Edition:
    """A visible edition: its units, when it and its newest evaluation were published, what is disclosed.

    `seed` is None while it is secret. `key` is of all that the edition's page and downloads are made from.
    """

    name: str
    plan: EditionPlan
    units: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    manifest_sha256: str
    is_retired: bool
    seed: int | None
    key: str

    @property
    def benchmark(self) -> str:
        """The name of its benchmark."""
        return self.plan.benchmark

    @property
    def has_download(self) -> bool:
        """Whether its tables are offered: the licence of imported data is not ours to give."""
        return not self.plan.imported_from


def present(benchmark: str) -> Presentation:
    """Return how the benchmark introduces itself; by its name alone where it does not."""
    installed = find_installed(benchmark)
    if installed is None or not installed.offers(Benchmark.presentation):
        return Presentation(benchmark, (), "")
    return installed.presentation()


def read_editions(store: Store, catalog: Catalog, trials: Collection[str] = ()) -> list[Edition]:
    """Return the editions that the catalog shows, the newest first; of those that are trials these alone."""
    created: dict[str, datetime] = dict(catalog.query(_TIMES)[1])
    answered: dict[str, datetime] = dict(catalog.query(_ANSWERED)[1])
    editions = []
    for name in catalog.editions:
        units = tuple(unit for unit in catalog.units if split_unit(unit)[0] == name)
        plan = read_published_plan(store, name)
        if plan.is_trial and name not in trials:
            continue
        at = created[name].astimezone(UTC)
        editions.append(
            Edition(
                name,
                plan,
                units,
                at,
                max(at, answered.get(name, at).astimezone(UTC)),
                hashlib.sha256(store.read_bytes(manifest_file(name))).hexdigest(),
                is_retired(store, name),
                plan.seed if plan.seed is not None else revealed_seed(store, plan),
                key_of_edition(store, name, plan.benchmark, units),
            )
        )
    return sorted(editions, key=lambda edition: (edition.created_at, edition.name), reverse=True)


def key_of_edition(store: Store, edition: str, benchmark: str, units: Sequence[str]) -> str:
    """Return a digest of the code and of all that is published of the edition."""
    return digest(
        code_sha256(),
        present(benchmark),
        [
            hashlib.sha256(store.read_bytes(name)).hexdigest()
            for unit in units
            for name in _sealed(store, unit)
        ],
        analysis_of(store, edition, units),
        is_retired(store, edition),
        store.exists(reveal_file(edition)),
    )


def key_of_root(store: Store, editions: Iterable[Edition], units: Sequence[str]) -> str:
    """Return a digest of the code and of all that pages over several editions are made from."""
    return digest([edition.key for edition in editions], scale_files(store, units))


def digest(*values: object) -> str:
    """Return the SHA-256 of these values."""
    return hashlib.sha256(canonical_json([repr(value) for value in values]).encode()).hexdigest()


def _sealed(store: Store, unit: str) -> list[str]:
    """Return the files that hold the digests of all others of the unit, and of its row."""
    return [name for name in (manifest_file(unit), seal_file(unit)) if store.exists(name)]


# What programs read of a website: `scores.json` with its schema, and an Atom feed of editions.

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
            "answers": row["answers"] or "",
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
        "answers": {
            **text,
            "description": "played, by log (as an imported log says) or partly by log; empty if not known",
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
