"""Which players a refresh has, and which versions of its questions they play."""

from collections.abc import Mapping, Sequence

from perennial.flows.benchmark import Benchmark
from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.people import PERSON, is_person
from perennial.schemas.settings import RefreshSettings
from perennial.tasks.play import plays_version


def choose_players(
    settings: RefreshSettings, benchmark: Benchmark, own: Mapping[str, object], anchors: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the players' names: those that are given, or all programs that fit the plan's `own` part.

    The `anchors` that are not among them follow.
    Any name that is not a program's is a model's. Raises InvalidOption where none is left, or where one that
    is given cannot play.
    """
    unfit = benchmark.unfit(own)
    given = rename_aliases(settings.players, benchmark)
    anchors = rename_aliases(anchors, benchmark)
    for option, names in (("players", given), ("anchors", anchors)):
        for name in names:
            if name in unfit:
                raise InvalidOption(f"player {name!r} {unfit[name]}: leave it out of --{option}")
    for name in (*given, *anchors):
        if is_person(name):
            raise InvalidOption(
                f"player {name!r}: {PERSON} is the name of people, who play in a study (`perennial study`): "
                "name a model or a program"
            )
    players = given or [name for name in benchmark.programs if name not in unfit]
    if not players:
        raise InvalidOption("no player is left to play: name at least one with --players")
    return tuple(dict.fromkeys((*players, *anchors)))


def rename_aliases(players: Sequence[str], benchmark: Benchmark) -> list[str]:
    """Return the players with programs under their own names, each once."""
    aliases = benchmark.aliases
    return list(dict.fromkeys(aliases.get(name, name) for name in players))


def describe_aliases(players: Sequence[str], benchmark: Benchmark) -> list[str]:
    """Return a sentence for each given player that is another name of a program."""
    aliases = benchmark.aliases
    return [f"player {name!r} is now called {aliases[name]!r}" for name in players if name in aliases]


def choose_versions(
    settings: RefreshSettings, benchmark: Benchmark, own: Mapping[str, object], players: Sequence[str]
) -> tuple[str, ...]:
    """Return the versions of each question to play; raise InvalidOption for a player that would play none."""
    versions = settings.versions(own)
    if USUAL not in versions:
        programs = [name for name in benchmark.programs if plays_version(benchmark, name, versions[0])]
        for name in players:
            if not plays_version(benchmark, name, versions[0]):
                raise InvalidOption(
                    f"player {name!r} plays only the usual version of a question, and this evaluation is of "
                    f"{', '.join(versions)} alone: name {', '.join([*programs, 'models'])} with --players"
                )
    return versions
