"""Facts that the bundled medical and musical domains must state, looked up in the generated JSON."""

from functools import cache
from pathlib import Path

import pytest

from schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, Observation, SeedConfig
from tasks.kumo.configuration import parse_config
from tasks.kumo.validation import validate_config

SEEDS = Path(__file__).resolve().parents[2] / "warehouse" / "kumo" / "domains"
SLUGS = ("medical_diagnosis", "music_identification")


@cache
def seed_config(slug: str) -> SeedConfig:
    return parse_config((SEEDS / f"{slug}.json").read_text(encoding="utf-8"), slug)


def ruled_out(slug: str, action: str, observation: Observation) -> set[str]:
    config = seed_config(slug)
    outcome = next(outcome for outcome in config.outcomes if outcome.action == action)
    state = outcome.state_of(observation)
    assert state is not None, f"{observation!r} is no outcome of {action!r}"
    return set(outcome.states[state].rules_out)


MEDICAL = [
    ("Haemoglobin concentration", 15.0, "Sickle cell anaemia", "Polycythaemia vera"),
    ("Haemoglobin concentration", 6.0, "Polycythaemia vera", "Severe aplastic anaemia"),
    ("Mean corpuscular volume", 75.0, "Pernicious anaemia", "Iron deficiency anaemia"),
    ("Platelet count", 300.0, "Immune thrombocytopenia", "Iron deficiency anaemia"),
    ("White cell count", 8.0, "Chronic myeloid leukaemia", "Acute myeloid leukaemia"),
    ("Blood film", "nothing remarkable", "Sickle cell anaemia", "Immune thrombocytopenia"),
    ("Bone marrow trephine", "too few cells for the age", "Polycythaemia vera", "Severe aplastic anaemia"),
    ("Serum ferritin", 500.0, "Iron deficiency anaemia", "Beta-thalassaemia major"),
    ("Lactate dehydrogenase", 200.0, "Thrombotic thrombocytopenic purpura", "Immune thrombocytopenia"),
    ("Alanine aminotransferase", 30.0, "Acute icteric hepatitis B", "Primary biliary cholangitis"),
    ("Alkaline phosphatase", 90.0, "Primary biliary cholangitis", "Multiple myeloma"),
    ("C-reactive protein", 2.0, "Pneumococcal pneumonia", "Multiple sclerosis"),
    ("Serum sodium", 140.0, "Syndrome of inappropriate antidiuresis", "Primary aldosteronism"),
    ("Serum sodium", 128.0, "Primary aldosteronism", "Syndrome of inappropriate antidiuresis"),
    ("Serum potassium", 6.0, "Primary aldosteronism", "Addison disease"),
    ("Serum potassium", 3.0, "Addison disease", "Primary aldosteronism"),
    ("Albumin-corrected calcium", 1.8, "Primary hyperparathyroidism", "Hypoparathyroidism"),
    ("Albumin-corrected calcium", 3.0, "Hypoparathyroidism", "Primary hyperparathyroidism"),
    ("Random plasma glucose", 6.0, "Diabetic ketoacidosis", "Addison disease"),
    ("Random plasma glucose", 20.0, "Hyperosmolar hyperglycaemic state", "Diabetic ketoacidosis"),
    ("Plasma bicarbonate", 25.0, "Diabetic ketoacidosis", "Hyperosmolar hyperglycaemic state"),
    ("Urine osmolality", 800.0, "Central diabetes insipidus", "Syndrome of inappropriate antidiuresis"),
    ("24-hour urine volume", 1500.0, "Central diabetes insipidus", "Minimal change disease"),
    ("24-hour urine protein", 0.1, "Minimal change disease", "Primary aldosteronism"),
    ("Estimated glomerular filtration rate", 90.0, "Stage 5 chronic kidney disease", "Influenza"),
    ("Cerebrospinal fluid cell count", 2.0, "Pneumococcal meningitis", "Guillain-Barré syndrome"),
    ("Age at first symptoms", 30.0, "Giant cell arteritis", "Multiple sclerosis"),
    ("Highest temperature in 24 hours", 37.0, "Measles", "Hashimoto hypothyroidism"),
    ("Resting heart rate", 130.0, "Complete heart block", "Atrial fibrillation"),
    ("Tendon reflexes", "brisk", "Guillain-Barré syndrome", "Amyotrophic lateral sclerosis"),
    ("Travel history", "never outside a cool temperate country", "Dengue fever", "Measles"),
    (
        "Ultrasound of the abdomen",
        "large spleen and nothing else",
        "Immune thrombocytopenia",
        "Visceral leishmaniasis",
    ),
]

MUSICAL = [
    ("Tempo count", 100.0, "Drum and bass", "Boom bap hip hop"),
    ("Tempo count", 170.0, "Roots reggae", "Drum and bass"),
    ("Date of the recording", 1965.0, "Uplifting trance", "Jamaican ska"),
    ("Length of the performance", 40.0, "Surf rock", "Hindustani khyal"),
    ("Steadiness of the beat", 12.0, "Detroit techno", "Romantic piano nocturne"),
    ("Swing ratio measurement", 2.2, "Thrash metal", "Big-band swing"),
    ("Swing ratio measurement", 1.0, "Big-band swing", "Bossa nova"),
    ("Chord change count", 100.0, "Hindustani khyal", "Bebop"),
    ("Share of the voice", 95.0, "Classical string quartet", "Barbershop"),
    ("Share of the voice", 0.0, "Barbershop", "Pibroch"),
    ("Listening for distorted electric guitar", "not heard", "Death metal", "Gregorian chant"),
    ("Listening for distorted electric guitar", "heard", "Gregorian chant", "Death metal"),
    ("Listening for a piano", "heard", "Barbershop", "Classic ragtime"),
    ("Listening for free reeds", "not heard", "Golden-age tango", "Pibroch"),
    ("Listening for hand drums", "not heard", "Hindustani khyal", "Thrash metal"),
    ("Listening for vocal harmony", "not heard", "Barbershop", "Lisbon fado"),
    ("Listening for rapping", "not heard", "Boom bap hip hop", "Synth-pop"),
    ("Comparison with a piano's tuning", "all pitches agree", "Javanese court gamelan", "Classic ragtime"),
    ("Comparison of two performances", "the notes are the same", "Bebop", "Classical symphony"),
    ("Metre analysis", "two or four beats", "Viennese waltz", "Uplifting trance"),
    (
        "Analysis of the tonal language",
        "major or minor keys with cadences",
        "Serial chamber music",
        "Viennese waltz",
    ),
    ("Analysis of the texture", "a melody with chords", "Gregorian chant", "Barbershop"),
    ("Listening for a bass drum on every beat", "not heard", "Chicago house", "Drum and bass"),
    ("Listening for offbeat chords", "not heard", "Jamaican ska", "Punk rock"),
]

FACTS = [("medical_diagnosis", *fact) for fact in MEDICAL] + [
    ("music_identification", *fact) for fact in MUSICAL
]


@pytest.mark.parametrize(("slug", "action", "observation", "excluded", "compatible"), FACTS)
def test_an_observation_rules_out_the_one_and_not_the_other(
    slug: str, action: str, observation: Observation, excluded: str, compatible: str
) -> None:
    found = ruled_out(slug, action, observation)
    assert excluded in found
    assert compatible in seed_config(slug).truths
    assert compatible not in found


@pytest.mark.parametrize(
    ("observation", "spared"), [(36.8, "Septic shock"), (41.0, "Severe falciparum malaria")]
)
def test_a_temperature_that_the_disease_allows_spares_it(observation: float, spared: str) -> None:
    assert spared in seed_config("medical_diagnosis").truths
    assert spared not in ruled_out("medical_diagnosis", "Highest temperature in 24 hours", observation)


def test_a_stay_in_the_tropics_excludes_nothing() -> None:
    assert ruled_out("medical_diagnosis", "Travel history", "stay in the tropics or subtropics") == set()


@pytest.mark.parametrize("slug", SLUGS)
def test_the_domain_is_large_enough_and_without_findings(slug: str) -> None:
    config = seed_config(slug)
    kinds = [outcome.kind for outcome in config.outcomes]
    assert len(config.truths) >= MIN_TRUTHS
    assert len(config.actions) >= MIN_ACTIONS
    assert min(kinds.count("float"), kinds.count("str")) >= 8
    assert validate_config(config) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_every_truth_and_action_has_a_note_of_its_own(slug: str) -> None:
    config = seed_config(slug)
    assert set(config.truth_notes) == set(config.truths)
    assert set(config.action_notes) == set(config.actions)
    assert len(set(config.truth_notes.values())) == len(config.truths)


@pytest.mark.parametrize("slug", SLUGS)
def test_no_state_decides_much_alone(slug: str) -> None:
    config = seed_config(slug)
    shares = [len(s.rules_out) / len(config.truths) for outcome in config.outcomes for s in outcome.states]
    assert max(shares) < 0.75
    assert 0.25 <= sum(shares) / len(shares) <= 0.4
