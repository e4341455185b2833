"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from perennial.flows.benchmark import Benchmark
from perennial.schemas.kumo.tables import KUMO_TABLES
from perennial.schemas.kumo.things import Setting
from perennial.schemas.late_module import LateModule
from perennial.schemas.rows import ReadJson
from perennial.schemas.statistics import NEW_DOMAINS, Floor, Measure, MeasuredVariance, Parts
from perennial.tasks.kumo.optimum.limits import fits_tables

if TYPE_CHECKING:
    from perennial.flows.kumo import analysis, kernels, practice, presentation, seats, stages
    from perennial.flows.kumo.author_domains import Domains
    from perennial.flows.kumo.cli import summary
    from perennial.flows.kumo.paper import compare
    from perennial.flows.kumo.planning import prepare, protocol
    from perennial.flows.kumo.web import own_pages
    from perennial.schemas.kumo import settings as own_settings
    from perennial.tasks.kumo import report as own_sections
    from perennial.tasks.kumo.game import KumoGame
    from perennial.warehouse.kumo import origins
    from perennial.warehouse.kumo import paper as scores
else:
    analysis = LateModule("perennial.flows.kumo.analysis")
    summary = LateModule("perennial.flows.kumo.cli.summary")
    compare = LateModule("perennial.flows.kumo.paper.compare")
    kernels = LateModule("perennial.flows.kumo.kernels")
    prepare = LateModule("perennial.flows.kumo.planning.prepare")
    protocol = LateModule("perennial.flows.kumo.planning.protocol")
    practice = LateModule("perennial.flows.kumo.practice")
    own_sections = LateModule("perennial.tasks.kumo.report")
    presentation = LateModule("perennial.flows.kumo.presentation")
    seats = LateModule("perennial.flows.kumo.seats")
    stages = LateModule("perennial.flows.kumo.stages")
    own_pages = LateModule("perennial.flows.kumo.web.own_pages")
    own_settings = LateModule("perennial.schemas.kumo.settings")
    origins = LateModule("perennial.warehouse.kumo.origins")
    scores = LateModule("perennial.warehouse.kumo.paper")


def _unfit(own: ReadJson) -> dict[str, str]:
    """Return which programs cannot play: the reader knows the sentences of the template's books alone, and
    the optimum is known for sizes that fit its tables.
    """
    writer = own["authoring"]["writer"]
    why = f"reads the books of the template alone, and these are written by {writer!r}"
    unfit = {"reader": why} if writer else {}
    for name in own["settings"]:
        size = Setting.parse(name)
        if not fits_tables(size.n_truths, size.n_actions, size.n_valid):
            unfit["optimum"] = f"is not known for setting {name}: it is too large"
    return unfit


def _parameters() -> dict[str, tuple[Any, str] | None]:
    """Return a parameter for bundled domains: `domains` may name files of the operator's; the others do."""
    from pydantic import BeforeValidator

    from perennial.schemas.settings.form import split_names
    from perennial.warehouse.kumo.bundled_domains import bundled_domains

    bundled: Any = Literal[*bundled_domains()]
    several: Any = Annotated[
        list[bundled], BeforeValidator(split_names, json_schema_input_type=list[bundled] | str)
    ]
    return {
        "domains": (
            several,
            "Bundled domains. Default: those of perennial.toml, or all in rotation.",
        ),
        "domains_from": None,
        "release": None,
    }


_ACTIONS = Measure(
    "relative_action_count",
    "algorithm-3",
    "actions relative to Algorithm 3",
    "actions = tests + 1, failed = all actions + 1, sum of counts / sum of Algorithm 3's - 1",
    "Actions relative to Algorithm 3 is the sum of counts / the sum of Algorithm 3's − 1, where a count is "
    "tests + 1 and a failed episode counts as all actions + 1. Algorithm 3, the paper's reference, is 0. It "
    "ignores part of what players know, so the true optimum can score below 0. Lower is better.",
)
_EXCESS = Measure(
    "excess_tests",
    "algorithm-3",
    "excess tests",
    "excess tests = tests - Algorithm 3's, all actions counting as tests where the answer is not decided",
    "Excess tests is the mean of tests − Algorithm 3's over all episodes. An episode that ends before its "
    "outcomes "
    "leave one truth possible counts as one that took all actions, whether its answer was right or not: so "
    "a guess is never better than testing on.",
)
_GUESSES = Measure(
    "guess_share",
    "any",
    "guesses",
    "guesses = share of episodes whose answer the outcomes seen did not decide",
    "Guesses is the share of episodes that named a truth while the outcomes seen left several possible.",
)
_VARIANCE = MeasuredVariance(
    Parts(domain=0.0063, player_domain=0.0053, instance=0.0209, player_instance=0.0334, run=0.1251),
    3.7,
    "KUMO's released runs: 14 models, 100 domains, 50 Easy instances, 5 runs",
    # As `perennial.flows.kumo.planning.estimate_calls` counts them for 3.7 turns and a book of 1,000 tokens.
    prompt_tokens_per_call=2_200,
    reply_tokens_per_call=(150, 2_000),
)
_FLOOR = Floor(
    "guesser",
    "floor = guesser, by the rules without a test",
    "The floor is the success rate of guesser, which names a truth by the rules alone, without a test.",
    Measure(
        "mean_tests",
        "any",
        "tests",
        "tests = mean tests of an episode",
        "Tests is the mean number of tests of an episode.",
    ),
    "never tests",
)

_ANSWERS = (
    "SELECT k.edition, k.evaluation, k.episode_id, m.move, array_to_string(i.valid_truths, ', '), "
    "CASE WHEN k.decided THEN 'misread the outcomes, which decided the answer' "
    "WHEN NOT k.decided THEN 'guessed before the outcomes decided the answer' END "
    "FROM kumo_episodes AS k JOIN episodes AS e USING (edition, evaluation, episode_id) "
    "LEFT JOIN kumo_instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id "
    "LEFT JOIN kumo_moves AS m ON m.edition = k.edition AND m.evaluation = k.evaluation "
    "AND m.episode_id = k.episode_id AND m.kind = 'truth'"
)

BENCHMARK: "Benchmark[own_settings.KumoSettings, Domains, seats.KumoSeat, KumoGame]" = Benchmark(
    "kumo",
    settings=lambda: own_settings.KumoSettings,
    prepare=lambda settings, store: prepare.prepare(settings, store),
    growing=lambda: stages.STAGES,
    playing=lambda: seats.PLAYING,
    analysis=lambda: analysis.ANALYSIS,
    tables=KUMO_TABLES,
    sql="perennial.warehouse.kumo",
    answers=_ANSWERS,
    population=NEW_DOMAINS,
    variance=_VARIANCE,
    measures=(_ACTIONS, _EXCESS, _GUESSES),
    floor=_FLOOR,
    report=lambda: own_sections.REPORT,
    protocol=lambda settings, store, growth: protocol.protocol_of(settings, store, growth),
    estimate=lambda store, plan, prices: prepare.estimate_evaluation(store, plan, prices),
    inputs_of=lambda store, edition: prepare.inputs_of(store, edition),
    unfit=_unfit,
    parameters=_parameters,
    warm_up=lambda: kernels.prepare_kernels(),
    published=lambda: scores.published_scores(),
    origins=lambda: origins.ORIGINS,
    pages=lambda: own_pages.PAGES,
    presentation=lambda: presentation.PRESENTATION,
    paper=lambda: compare.PAPER,
    summary=lambda catalog, plan: summary.summary(catalog, plan),
    practice=lambda: practice.PRACTICE,
    commands={
        "domains": (
            "perennial.flows.kumo.cli.domains:domains",
            "List, check and score domains, import and write new ones.",
            "domains of KUMO",
        ),
        "solve": (
            "perennial.flows.kumo.cli.solve:solve",
            "Print expected steps and golden play of each instance, by Algorithm 3 and by the true optimum.",
            "optimal play of them",
        ),
        "trajectories": (
            "perennial.flows.kumo.cli.trajectories:trajectories",
            "Write golden trajectories as chats: the messages of `symbolic:MODEL`, answered by a program.",
            "golden play as chats",
        ),
    },
    importers={
        "kumo": (
            "perennial.flows.kumo.cli.import_release:kumo",
            "Import the KUMO authors' release as edition kumo-2025-release.",
        ),
    },
)
