"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.schemas.benchmark import Declaration
from perennial.schemas.kumo.tables import KUMO_TABLES
from perennial.schemas.statistics import NEW_DOMAINS, Floor, Measure, MeasuredVariance, Parts
from perennial.warehouse.kumo.origins import ORIGINS
from perennial.warehouse.kumo.paper import published_scores

if TYPE_CHECKING:
    from perennial.flows.kumo.implementation import Kumo
    from perennial.schemas.kumo.settings import KumoSettings


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
    "excess tests = tests - Algorithm 3's expected ones, all actions counting as tests where the answer is "
    "not decided",
    "Excess tests is the mean over all episodes of tests − those that Algorithm 3 is expected to take, given "
    "the lists. An episode that ends before its outcomes "
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
    # As `perennial.flows.kumo.planning.prepare` counts them for 3.7 turns and a book of 1,000 tokens.
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


# Runs of the release are imported without calls; calls by protocol kumo-2025 bear its name.
_UNLIKE_PAPER = (
    "SELECT edition, NULL, 'domains' FROM kumo_domains GROUP BY edition "
    "HAVING NOT bool_and(source = 'import') UNION ALL "
    "SELECT DISTINCT e.edition, e.player, 'prompts' FROM episodes AS e "
    "LEFT JOIN turns AS t USING (edition, evaluation, episode_id) "
    "LEFT JOIN calls AS c ON c.edition = t.edition AND c.call_id = t.call_id "
    "WHERE e.edition IN (SELECT edition FROM kumo_domains) AND NOT starts_with(c.template, 'kumo-2025')"
)


def _settings() -> "type[KumoSettings]":
    from perennial.schemas.kumo.settings import KumoSettings

    return KumoSettings


def _implementation() -> "type[Kumo]":
    from perennial.flows.kumo.implementation import Kumo

    return Kumo


BENCHMARK = Declaration(
    "kumo",
    settings=_settings,
    implementation=_implementation,
    tables=KUMO_TABLES,
    sql="perennial.warehouse.kumo",
    answers=_ANSWERS,
    population=NEW_DOMAINS,
    variance=_VARIANCE,
    measures=(_ACTIONS, _EXCESS, _GUESSES),
    floor=_FLOOR,
    published=published_scores,
    unlike_paper=_UNLIKE_PAPER,
    origins=ORIGINS,
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
            "perennial.flows.kumo.release.import_command:kumo",
            "Import the KUMO authors' release as edition kumo-2025-release.",
        )
    },
)
