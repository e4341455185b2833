"""Facts of the bundled domains on student assessment and fantasy artefacts, read from the committed JSON."""

from statistics import mean

import pytest

from schemas.kumo import MIN_ACTIONS, MIN_TRUTHS, Observation, SeedConfig, Setting
from tasks.kumo.configuration import parse_config
from tasks.kumo.encoding import encode_config, encode_instance
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.search import solve_instances
from tasks.kumo.validation import validate_config
from warehouse.kumo.domains.generate import FOLDER

STUDENT, FANTASY = "student_assessment", "fantasy_artefacts"


def read(slug: str) -> SeedConfig:
    path = FOLDER / f"{slug}.json"
    return parse_config(path.read_text(encoding="utf-8"), path.name)


def ruled_out(slug: str, action: str, observation: Observation) -> set[str]:
    outcome = next(outcome for outcome in read(slug).outcomes if outcome.action == action)
    state = outcome.state_of(observation)
    assert state is not None, f"{action} never shows {observation!r}"
    return set(outcome.states[state].rules_out)


@pytest.mark.parametrize("slug", [STUDENT, FANTASY])
def test_the_domain_is_large_enough_and_without_findings(slug: str) -> None:
    config = read(slug)
    assert len(config.truths) >= MIN_TRUTHS
    assert len(config.actions) >= MIN_ACTIONS
    assert sum(outcome.kind == "float" for outcome in config.outcomes) >= 8
    assert validate_config(config) == []


@pytest.mark.parametrize("slug", [STUDENT, FANTASY])
def test_a_state_rules_out_a_moderate_share_of_the_truths(slug: str) -> None:
    encoded = encode_config(read(slug))
    shares = [mask.bit_count() / len(encoded.truths) for states in encoded.masks for mask in states]
    assert 0.3 <= mean(shares) <= 0.5


@pytest.mark.parametrize("slug", [STUDENT, FANTASY])
@pytest.mark.parametrize(("setting", "low", "high"), [("easy", 1.5, 2.3), ("hard", 2.8, 4.2)])
def test_the_exact_search_is_fast_and_the_expected_steps_are_moderate(
    slug: str, setting: str, low: float, high: float
) -> None:
    encoded = encode_config(read(slug))
    sample = sample_instances(encoded, SamplingRequest(Setting.parse(setting), count=50, seed=0))
    batch = [encode_instance(encoded, instance) for instance in sample.instances]
    # 20 million steps of work are about a second; a limit in work is the same on every machine.
    steps = [solution.expected_steps for solution in solve_instances(batch, work_limit=20)]
    assert None not in steps
    assert low <= mean(value for value in steps if value is not None) <= high


@pytest.mark.parametrize("slug", [STUDENT, FANTASY])
def test_every_truth_can_be_ruled_out_whichever_other_truth_is_valid(slug: str) -> None:
    encoded = encode_config(read(slug))
    masks = [mask for states in encoded.masks for mask in states]
    n = len(encoded.truths)
    stuck = [
        (encoded.truths[valid], encoded.truths[other])
        for valid in range(n)
        for other in range(n)
        if valid != other and not any(mask >> other & 1 and not mask >> valid & 1 for mask in masks)
    ]
    assert stuck == []


@pytest.mark.parametrize("slug", [STUDENT, FANTASY])
def test_every_truth_and_every_action_has_a_note_of_its_own(slug: str) -> None:
    config = read(slug)
    assert set(config.truth_notes) == set(config.truths)
    assert set(config.action_notes) == set(config.actions)
    notes = [*config.truth_notes.values(), *config.action_notes.values()]
    assert len(set(notes)) == len(notes)
    assert all(note.endswith(".") for note in notes)


@pytest.mark.parametrize("slug", [STUDENT, FANTASY])
def test_the_ranges_of_an_action_leave_no_gap(slug: str) -> None:
    for outcome in read(slug).outcomes:
        if outcome.kind == "float":
            bounds = sorted((state.low or 0.0, state.high or 0.0) for state in outcome.states)
            assert [high for _, high in bounds[:-1]] == [low for low, _ in bounds[1:]], outcome.action


@pytest.mark.parametrize(
    ("gap", "task", "correct", "wrong"),
    [
        ("Smaller-from-larger subtraction", "Subtraction Across a Zero", "writes 236", "writes 364"),
        ("Equals sign as a command to calculate", "Missing Number Item", "fills in 7", "fills in 12"),
        ("Appending a zero to multiply by ten", "Decimal Times Ten Item", "writes 34", "writes 3.40"),
        ("Overused two-minuses rule", "Negative Number Item", "writes -7", "writes 7"),
        ("Conjoined unlike terms", "Simplifying Item", "writes 7 + 2x", "writes 9x"),
        ("Squaring a sum term by term", "Square of a Sum Item", "writes x^2 + 6x + 9", "writes x^2 + 9"),
        ("Percentage of the wrong whole", "Price Before the Sale", "answers 100", "answers 96"),
        ("Reversed word equations", "Students and Professors Item", "writes S = 6P", "writes 6S = P"),
        (
            "Decimal reading of clock times",
            "Bus Journey Item",
            "says 1 hour 35 minutes",
            "says 1 hour 75 minutes",
        ),
        (
            "Additive reasoning in proportions",
            "Photo Enlargement",
            "height 30 cm, twice the paper",
            "height 25 cm",
        ),
        (
            "Gambler's fallacy",
            "Coin and Dice Interview",
            "coin even, seven the likeliest total",
            "says that tails is due",
        ),
        (
            "Over-regular past forms",
            "Story Retold in the Past",
            "slides into the present",
            "regular endings on irregular verbs",
        ),
        (
            "Apostrophes in simple plurals",
            "Plural and Possessive Editing",
            "all nouns right",
            "apostrophes added to plurals",
        ),
    ],
)
def test_the_answer_that_a_gap_leads_to_keeps_it_and_the_correct_one_rules_it_out(
    gap: str, task: str, correct: str, wrong: str
) -> None:
    assert gap in ruled_out(STUDENT, task, correct)
    assert gap not in ruled_out(STUDENT, task, wrong)


@pytest.mark.parametrize(
    ("gap", "task", "good", "poor"),
    [
        ("Longer-is-larger decimals", "Decimal Ordering Cards", 90.0, 20.0),
        ("Larger-denominator-is-larger belief", "Fraction Comparison Cards", 90.0, 20.0),
        ("Adding across fractions", "Fraction Addition Sheet", 90.0, 20.0),
        ("Unchanged sign when moving a term", "Linear Equation Set", 90.0, 20.0),
        ("Area and perimeter confusion", "Floor-Plan Problems", 90.0, 20.0),
        ("Wrong protractor scale", "Angle Measuring Stations", 2.0, 60.0),
        ("Weak phoneme blending", "Nonsense-Word List", 90.0, 20.0),
        ("Purely phonetic spelling", "Dictation", 1.0, 30.0),
        ("Weak multiplication facts", "Times-Table Sprint", 40.0, 5.0),
    ],
)
def test_a_good_result_rules_out_the_gap_that_the_task_is_about(
    gap: str, task: str, good: float, poor: float
) -> None:
    assert gap in ruled_out(STUDENT, task, good)
    assert gap not in ruled_out(STUDENT, task, poor)


@pytest.mark.parametrize(
    ("gap", "task", "poor"),
    [
        ("Comma splicing", "Column Subtraction Sheet", 20.0),
        ("Squaring a sum term by term", "Times-Table Sprint", 5.0),
        ("Median of unordered data", "Nonsense-Word List", 20.0),
        ("Drifting narrative tense", "Missing Number Item", "fills in 12"),
    ],
)
def test_a_poor_result_rules_out_a_gap_that_leaves_the_task_alone(
    gap: str, task: str, poor: Observation
) -> None:
    assert gap in ruled_out(STUDENT, task, poor)


@pytest.mark.parametrize(
    ("gap", "task"),
    [
        ("Uncarried tens", "Linear Equation Set"),
        ("Swapped coordinates", "Square of a Sum Item"),
        ("Weak phoneme blending", "Students and Professors Item"),
        ("Misread connectives", "Negative Number Item"),
    ],
)
def test_a_task_of_later_school_years_says_nothing_about_a_gap(gap: str, task: str) -> None:
    outcome = next(o for o in read(STUDENT).outcomes if o.action == task)
    assert all(gap not in state.rules_out for state in outcome.states)


@pytest.mark.parametrize(
    ("artefact", "examination", "keeps", "excludes"),
    [
        ("Moonspun Veil", "Moonlight Bath", "silver lines appear on it", "nothing changes"),
        ("Dusk Cloak of Harrowmere", "Moonlight Bath", "it becomes hard to see", "silver lines appear on it"),
        ("Brazier of the Kept Ember", "Surface Temperature", 60.0, 0.0),
        ("Frostbitten Key", "Surface Temperature", -10.0, 20.0),
        ("Feather Anchor", "Noon Weighing", 0.05, 5.0),
        ("Anvil Pebble", "Noon Weighing", 15.0, 0.05),
        ("Glacier Marble", "Scratch with a Quartz Point", "no mark", "a deep groove"),
        ("Mossback Shield", "Scratch with a Quartz Point", "a groove that closes again", "no mark"),
        ("Grave-Bell of Tollen Hill", "Question at Midnight", "a sob", "silence"),
        (
            "Ring of Kept Promises",
            "Pendulum Over the Lid",
            "it circles sunwise",
            "it circles against the sun",
        ),
        ("Lullaby Music Box", "Moths at the Window", "they drop asleep", "they circle it"),
    ],
)
def test_an_artefact_reacts_as_its_nature_asks(
    artefact: str, examination: str, keeps: Observation, excludes: Observation
) -> None:
    assert artefact not in ruled_out(FANTASY, examination, keeps)
    assert artefact in ruled_out(FANTASY, examination, excludes)


@pytest.mark.parametrize(
    ("kind", "sly", "examination", "shown", "nothing"),
    [
        ("Cradle Harp of Ilmeth", "Flute of the Hollow Reed King", "Scattered Ash", "rings", "no pattern"),
        (
            "Emberwing Brooch",
            "Kettle of Quarrelling Steam",
            "Telling of a Lie",
            "it grows warm",
            "it does nothing",
        ),
    ],
)
def test_a_sly_artefact_may_keep_its_nature_back(
    kind: str, sly: str, examination: str, shown: str, nothing: str
) -> None:
    assert {kind, sly}.isdisjoint(ruled_out(FANTASY, examination, shown))
    assert {kind, sly} & ruled_out(FANTASY, examination, nothing) == {kind}
