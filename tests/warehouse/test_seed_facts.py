"""Facts that the bundled domains must state, looked up in the generated JSON."""

from functools import cache
from statistics import mean

import pytest

from schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, SeedConfig, Setting
from tasks.kumo.configuration import parse_config
from tasks.kumo.encoding import encode_config, encode_instance
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.search import solve_instances
from tasks.kumo.validation import validate_config
from warehouse.kumo.domains.generate import FOLDER

SLUGS = ("medical_diagnosis", "music_identification", "student_assessment", "fantasy_artefacts")
# The mean share of the truths that a state rules out, from and to, and the largest one.
SHARES = dict(zip(SLUGS, [(0.25, 0.4, 0.75)] * 2 + [(0.3, 0.5, 1.0)] * 2, strict=True))

# Action | observation (* is any) | truths that it rules out | truths that it keeps
FACTS = {
    "medical_diagnosis": """
Haemoglobin concentration | 15.0 | Sickle cell anaemia | Polycythaemia vera
Haemoglobin concentration | 6.0 | Polycythaemia vera | Severe aplastic anaemia
Mean corpuscular volume | 75.0 | Pernicious anaemia | Iron deficiency anaemia
Platelet count | 300.0 | Immune thrombocytopenia | Iron deficiency anaemia
White cell count | 8.0 | Chronic myeloid leukaemia | Acute myeloid leukaemia
Blood film | nothing remarkable | Sickle cell anaemia | Immune thrombocytopenia
Bone marrow trephine | too few cells for the age | Polycythaemia vera | Severe aplastic anaemia
Serum ferritin | 500.0 | Iron deficiency anaemia | Beta-thalassaemia major
Lactate dehydrogenase | 200.0 | Thrombotic thrombocytopenic purpura | Immune thrombocytopenia
Alanine aminotransferase | 30.0 | Acute icteric hepatitis B | Primary biliary cholangitis
Alkaline phosphatase | 90.0 | Primary biliary cholangitis | Multiple myeloma
C-reactive protein | 2.0 | Pneumococcal pneumonia | Multiple sclerosis
Serum sodium | 140.0 | Syndrome of inappropriate antidiuresis | Primary aldosteronism
Serum sodium | 128.0 | Primary aldosteronism | Syndrome of inappropriate antidiuresis
Serum potassium | 6.0 | Primary aldosteronism | Addison disease
Serum potassium | 3.0 | Addison disease | Primary aldosteronism
Albumin-corrected calcium | 1.8 | Primary hyperparathyroidism | Hypoparathyroidism
Albumin-corrected calcium | 3.0 | Hypoparathyroidism | Primary hyperparathyroidism
Random plasma glucose | 6.0 | Diabetic ketoacidosis | Addison disease
Random plasma glucose | 20.0 | Hyperosmolar hyperglycaemic state | Diabetic ketoacidosis
Plasma bicarbonate | 25.0 | Diabetic ketoacidosis | Hyperosmolar hyperglycaemic state
Urine osmolality | 800.0 | Central diabetes insipidus | Syndrome of inappropriate antidiuresis
24-hour urine volume | 1500.0 | Central diabetes insipidus | Minimal change disease
24-hour urine protein | 0.1 | Minimal change disease | Primary aldosteronism
Estimated glomerular filtration rate | 90.0 | Stage 5 chronic kidney disease | Influenza
Cerebrospinal fluid cell count | 2.0 | Pneumococcal meningitis | Guillain-Barré syndrome
Age at first symptoms | 30.0 | Giant cell arteritis | Multiple sclerosis
Highest temperature in 24 hours | 37.0 | Measles | Hashimoto hypothyroidism
Resting heart rate | 130.0 | Complete heart block | Atrial fibrillation
Tendon reflexes | brisk | Guillain-Barré syndrome | Amyotrophic lateral sclerosis
Travel history | never outside a cool temperate country | Dengue fever | Measles
Ultrasound of the abdomen | large spleen and nothing else | Immune thrombocytopenia | Visceral leishmaniasis
Highest temperature in 24 hours | 36.8 | | Septic shock
Highest temperature in 24 hours | 41.0 | | Severe falciparum malaria
Age at first symptoms | 0.0 | ST-elevation myocardial infarction | Complete heart block
Alanine aminotransferase | 80.0 | Multiple sclerosis | Amyotrophic lateral sclerosis
Alanine aminotransferase | * | | Dengue fever
White cell count | 8.0 | Acute appendicitis | Acute cholangitis
White cell count | 2.0 | Acute appendicitis | Acute cholangitis
Fluid state on examination | dry tongue and standing skin folds | Polycythaemia vera | Multiple myeloma
Fluid state on examination | pitting oedema | Multiple myeloma |
24-hour urine volume | * | | Multiple myeloma
C-reactive protein | 80.0 | Central diabetes insipidus | Syndrome of inappropriate antidiuresis
Plasma bicarbonate | 15.0 | Multiple sclerosis | Coeliac disease
Plasma bicarbonate | 32.0 | Coeliac disease |
24-hour urine volume | 600.0 | Multiple sclerosis | Amyotrophic lateral sclerosis
24-hour urine volume | 4000.0 | Amyotrophic lateral sclerosis |
""",
    "music_identification": """
Tempo count | 100.0 | Chicago house | Boom bap hip hop
Tempo count | 170.0 | Roots reggae | Drum and bass
Date of the recording | 1965.0 | Uplifting trance | Jamaican ska
Length of the performance | 40.0 | Surf rock | Hindustani khyal
Steadiness of the beat | 12.0 | Detroit techno | Romantic piano nocturne
Swing ratio measurement | 2.2 | Thrash metal | Big-band swing
Swing ratio measurement | 1.0 | Big-band swing | Bossa nova
Chord change count | 100.0 | Hindustani khyal | Bebop
Share of the voice | 95.0 | Classical string quartet | Barbershop
Share of the voice | 0.0 | Barbershop | Pibroch
Listening for distorted electric guitar | not heard | Death metal | Gregorian chant
Listening for distorted electric guitar | heard | Gregorian chant | Death metal
Listening for a piano | heard | Barbershop | Classic ragtime
Listening for free reeds | not heard | Golden-age tango | Pibroch
Listening for hand drums | not heard | Hindustani khyal | Thrash metal
Listening for vocal harmony | not heard | Barbershop | Lisbon fado
Listening for rapping | not heard | Boom bap hip hop | Synth-pop
Comparison with a piano's tuning | all pitches agree | Javanese court gamelan | Classic ragtime
Comparison of two performances | the notes are the same | Bebop | Classical symphony
Metre analysis | two or four beats | Viennese waltz | Uplifting trance
Analysis of the tonal language | major or minor keys with cadences | Serial chamber music | Viennese waltz
Analysis of the texture | a melody with chords | Gregorian chant | Barbershop
Listening for a bass drum on every beat | not heard | Chicago house | Drum and bass
Listening for offbeat chords | not heard | Jamaican ska | Punk rock
Steadiness of the beat | 0.2 | Big-band swing; Punk rock | Death metal; Thrash metal; Funk; New York salsa
Steadiness of the beat | 12.0 | Death metal |
Length of the performance | 9.0 | Surf rock | Roots reggae
Length of the performance | 20.0 | Roots reggae |
Language of the words | another language | Barbershop | Death metal
Language of the words | there are no words | Death metal |
Lowest pitch measurement | 52.0 | Irish reel | Carnatic kriti
""",
    "student_assessment": """
Subtraction Across a Zero | writes 236 | Smaller-from-larger subtraction |
Subtraction Across a Zero | writes 364 | | Smaller-from-larger subtraction
Missing Number Item | fills in 7 | Equals sign as a command to calculate |
Missing Number Item | fills in 12 | Drifting narrative tense | Equals sign as a command to calculate
Decimal Times Ten Item | writes 34 | Appending a zero to multiply by ten |
Decimal Times Ten Item | writes 3.40 | | Appending a zero to multiply by ten
Negative Number Item | writes -7 | Overused two-minuses rule |
Negative Number Item | writes 7 | | Overused two-minuses rule
Simplifying Item | writes 7 + 2x | Conjoined unlike terms |
Simplifying Item | writes 9x | | Conjoined unlike terms
Square of a Sum Item | writes x^2 + 6x + 9 | Squaring a sum term by term |
Square of a Sum Item | writes x^2 + 9 | | Squaring a sum term by term
Price Before the Sale | answers 100 | Percentage of the wrong whole |
Price Before the Sale | answers 96 | | Percentage of the wrong whole
Students and Professors Item | writes S = 6P | Reversed word equations |
Students and Professors Item | writes 6S = P | | Reversed word equations
Bus Journey Item | says 1 hour 35 minutes | Decimal reading of clock times |
Bus Journey Item | says 1 hour 75 minutes | | Decimal reading of clock times
Photo Enlargement | height 30 cm, twice the paper | Additive reasoning in proportions |
Photo Enlargement | height 25 cm | | Additive reasoning in proportions
Coin and Dice Interview | coin even, seven the likeliest total | Gambler's fallacy |
Coin and Dice Interview | says that tails is due | | Gambler's fallacy
Story Retold in the Past | slides into the present | Over-regular past forms |
Story Retold in the Past | regular endings on irregular verbs | | Over-regular past forms
Plural and Possessive Editing | all nouns right | Apostrophes in simple plurals |
Plural and Possessive Editing | apostrophes added to plurals | | Apostrophes in simple plurals
Decimal Ordering Cards | 90.0 | Longer-is-larger decimals |
Decimal Ordering Cards | 20.0 | | Longer-is-larger decimals
Fraction Comparison Cards | 90.0 | Larger-denominator-is-larger belief |
Fraction Comparison Cards | 20.0 | | Larger-denominator-is-larger belief
Fraction Addition Sheet | 90.0 | Adding across fractions |
Fraction Addition Sheet | 20.0 | | Adding across fractions
Linear Equation Set | 90.0 | Unchanged sign when moving a term |
Linear Equation Set | 20.0 | | Unchanged sign when moving a term
Floor-Plan Problems | 90.0 | Area and perimeter confusion |
Floor-Plan Problems | 20.0 | | Area and perimeter confusion
Angle Measuring Stations | 2.0 | Wrong protractor scale |
Angle Measuring Stations | 60.0 | | Wrong protractor scale
Nonsense-Word List | 90.0 | Weak phoneme blending |
Nonsense-Word List | 20.0 | Median of unordered data | Weak phoneme blending
Dictation | 1.0 | Purely phonetic spelling |
Dictation | 30.0 | | Purely phonetic spelling
Times-Table Sprint | 40.0 | Weak multiplication facts |
Times-Table Sprint | 5.0 | Squaring a sum term by term | Weak multiplication facts
Column Subtraction Sheet | 20.0 | Comma splicing |
Linear Equation Set | * | | Uncarried tens
Square of a Sum Item | * | | Swapped coordinates
Students and Professors Item | * | | Weak phoneme blending
Negative Number Item | * | | Misread connectives
Oral Reading Passage | 150.0 | Counting marks on a ruler | Larger-denominator-is-larger belief
Oral Reading Passage | 40.0 | Larger-denominator-is-larger belief | Word-by-word reading
Times-Table Sprint | 30.0 | Weak multiplication facts | Unclear pronoun reference; Misread connectives
Times-Table Sprint | 8.0 | Unclear pronoun reference | Weak multiplication facts
""",
    "fantasy_artefacts": """
Moonlight Bath | silver lines appear on it | Dusk Cloak of Harrowmere | Moonspun Veil
Moonlight Bath | nothing changes | Moonspun Veil |
Moonlight Bath | it becomes hard to see | | Dusk Cloak of Harrowmere
Surface Temperature | 60.0 | | Brazier of the Kept Ember
Surface Temperature | 0.0 | Brazier of the Kept Ember |
Surface Temperature | -10.0 | | Frostbitten Key
Surface Temperature | 20.0 | Frostbitten Key |
Noon Weighing | 0.05 | Anvil Pebble | Feather Anchor
Noon Weighing | 5.0 | Feather Anchor |
Noon Weighing | 15.0 | | Anvil Pebble
Scratch with a Quartz Point | no mark | Mossback Shield | Glacier Marble
Scratch with a Quartz Point | a deep groove | Glacier Marble |
Scratch with a Quartz Point | a groove that closes again | | Mossback Shield
Question at Midnight | a sob | | Grave-Bell of Tollen Hill
Question at Midnight | silence | Grave-Bell of Tollen Hill |
Pendulum Over the Lid | it circles sunwise | | Ring of Kept Promises
Pendulum Over the Lid | it circles against the sun | Ring of Kept Promises |
Moths at the Window | they drop asleep | | Lullaby Music Box
Moths at the Window | they circle it | Lullaby Music Box |
Scattered Ash | rings | | Cradle Harp of Ilmeth; Flute of the Hollow Reed King
Scattered Ash | no pattern | Cradle Harp of Ilmeth | Flute of the Hollow Reed King
Telling of a Lie | it grows warm | | Emberwing Brooch; Kettle of Quarrelling Steam
Telling of a Lie | it does nothing | Emberwing Brooch | Kettle of Quarrelling Steam
""",
}
EACH_FACT = [(slug, line) for slug, text in FACTS.items() for line in text.strip().splitlines()]


@cache
def seed_config(slug: str) -> SeedConfig:
    return parse_config((FOLDER / slug / "config.json").read_text(encoding="utf-8"), slug)


@pytest.mark.parametrize(("slug", "fact"), EACH_FACT)
def test_an_observation_rules_out_the_one_and_keeps_the_other(slug: str, fact: str) -> None:
    action, shown, *listed = (part.strip() for part in fact.split("|"))
    excluded, kept = (set(part.split("; ")) - {""} for part in (*listed, "")[:2])
    (outcome,) = (outcome for outcome in seed_config(slug).outcomes if outcome.action == action)
    seen = [outcome.state_of(float(shown) if outcome.kind == "float" else shown)] if shown != "*" else None
    assert seen != [None], f"{shown!r} is no outcome of {action!r}"
    states = (
        outcome.states if seen is None else [outcome.states[place] for place in seen if place is not None]
    )
    assert excluded | kept <= set(seed_config(slug).truths)
    for state in states:
        assert excluded <= set(state.rules_out)
        assert kept.isdisjoint(state.rules_out)


def test_the_students_domain_states_that_there_is_exactly_one_gap() -> None:
    assert "the student has exactly one gap" in seed_config("student_assessment").goal


def test_a_stay_in_the_tropics_excludes_nothing() -> None:
    (travel,) = (o for o in seed_config("medical_diagnosis").outcomes if o.action == "Travel history")
    stay = travel.state_of("stay in the tropics or subtropics")
    assert stay is not None
    assert travel.states[stay].rules_out == ()


@pytest.mark.parametrize("slug", SLUGS)
def test_the_domain_is_large_enough_and_without_findings(slug: str) -> None:
    config = seed_config(slug)
    kinds = [outcome.kind for outcome in config.outcomes]
    assert len(config.truths) >= MIN_TRUTHS
    assert len(config.actions) >= MIN_ACTIONS
    assert min(kinds.count("float"), kinds.count("str")) >= 8
    assert validate_config(config) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_a_state_rules_out_a_moderate_share_of_the_truths(slug: str) -> None:
    encoded = encode_config(seed_config(slug))
    shares = [mask.bit_count() / len(encoded.truths) for states in encoded.masks for mask in states]
    low, high, largest = SHARES[slug]
    assert low <= mean(shares) <= high
    assert max(shares) < largest


# The second reader left more cells of student assessment open: 139 cells, by which its steps grew by a tenth.
@pytest.mark.parametrize(
    ("slug", "setting", "low", "high"),
    [
        ("fantasy_artefacts", "easy", 1.5, 2.3),
        ("fantasy_artefacts", "hard", 2.8, 4.2),
        ("student_assessment", "easy", 1.5, 2.6),
        ("student_assessment", "hard", 2.8, 4.5),
    ],
)
def test_the_exact_search_is_fast_and_the_expected_steps_are_moderate(
    slug: str, setting: str, low: float, high: float
) -> None:
    encoded = encode_config(seed_config(slug))
    sample = sample_instances(encoded, SamplingRequest(Setting.parse(setting), count=50, seed=0))
    batch = [encode_instance(encoded, instance) for instance in sample.instances]
    # 20 million steps of work are about a second; a limit in work is the same on every machine.
    steps = [solution.expected_steps for solution in solve_instances(batch, work_limit=20)]
    assert None not in steps
    assert low <= mean(value for value in steps if value is not None) <= high


@pytest.mark.parametrize("slug", SLUGS[2:])
def test_every_truth_can_be_ruled_out_whichever_other_truth_is_valid(slug: str) -> None:
    encoded = encode_config(seed_config(slug))
    masks = [mask for states in encoded.masks for mask in states]
    pairs = [(valid, other) for valid in range(len(encoded.truths)) for other in range(len(encoded.truths))]
    stuck = [
        (encoded.truths[valid], encoded.truths[other])
        for valid, other in pairs
        if valid != other and not any(mask >> other & 1 and not mask >> valid & 1 for mask in masks)
    ]
    assert stuck == []


@pytest.mark.parametrize("slug", SLUGS)
def test_every_truth_and_every_action_has_a_note_of_its_own(slug: str) -> None:
    config = seed_config(slug)
    assert set(config.truth_notes) == set(config.truths)
    assert set(config.action_notes) == set(config.actions)
    notes = [*config.truth_notes.values(), *config.action_notes.values()]
    assert len(set(notes)) == len(notes)
    assert all(note.endswith(".") for note in notes)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_ranges_of_an_action_leave_no_gap(slug: str) -> None:
    for outcome in seed_config(slug).outcomes:
        if outcome.kind == "float":
            bounds = sorted((state.low or 0.0, state.high or 0.0) for state in outcome.states)
            assert [high for _, high in bounds[:-1]] == [low for low, _ in bounds[1:]], outcome.action
