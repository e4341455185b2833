"""Facts that the bundled domains of nature and the sky must state, looked up in the generated JSON."""

from statistics import mean

import pytest

from schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, Setting
from tasks.kumo.encoding import encode_config, encode_instance
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.search import solve_instances
from tasks.kumo.validation import validate_config
from tests.warehouse.test_seed_facts import seed_config

# Action | observation | truths that it rules out | truths that it keeps
FACTS = {
    "constellation_identification": """
Planimetry of the figure | 1300.0 | Crux; Sagitta; Lyra | Hydra; Virgo; Ursa Major
Planimetry of the figure | 80.0 | Hydra; Cetus; Hercules | Crux; Sagitta; Scutum
Reading of the northern edge | 80.0 | Crux; Orion | Draco; Ursa Minor; Cepheus
Count of neighbours | 2.0 | Hydra; Hercules | Crux; Corona Borealis
Overlay of the celestial equator | the circle stays outside | Orion; Virgo | Lyra; Crux
Overlay of the galactic equator | the midline cuts the area | Ursa Major; Leo | Cygnus; Crux; Sagittarius
Photometry of the brightest star | -1.46 | Sagitta; Cancer | Canis Major; Carina
Declination of the brightest star | 89.3 | Hydrus; Crux | Ursa Minor; Cassiopeia
Parallax of the brightest star | 8.6 | Cygnus; Orion | Canis Major; Centaurus; Lyra
Spectral class of the brightest star | G, K or M | Lyra; Orion | Scorpius; Taurus; Auriga
Letter of the brightest star | alpha | Orion; Gemini; Ursa Major | Leo; Perseus; Lyra
Messier count | 15.0 | Crux; Lepus | Sagittarius; Virgo
Sweep for globular clusters | no globular | Hercules; Pegasus; Lepus | Taurus; Leo
Sweep for galaxies | at least one galaxy | Lyra; Orion | Andromeda; Hydra; Pisces
Calendar of signs | one of the twelve | Ophiuchus; Orion | Libra; Aquarius
Search of the Almagest | has a chapter of its own | Crux; Scutum; Lynx | Ara; Piscis Austrinus
Study of the drawn figure | no living being | Leo; Virgo | Libra; Eridanus
Year of watching from Reykjavik | every part comes up | Scorpius; Crux | Orion; Lyra
""",
    "tree_identification": """
Height measurement | 100.0 | Olive; Silver birch | Coast redwood; Tasmanian blue gum; Douglas fir
Chromosome count | 24.0 | European ash; Douglas fir | English oak; Scots pine; Ginkgo
Chromosome count | 66.0 | Giant sequoia; European beech | Coast redwood; Small-leaved lime
Seed weighing | 10.0 | Silver birch; Scots pine | Horse chestnut; English walnut
Leaflet count | 1.0 | Rowan; Rubber tree; Horse chestnut | Wych elm; Cacao
Petal count | 5.0 | Silver birch; Norway spruce | Wild cherry; Common hawthorn
Seed leaf count | 1.0 | Scots pine; Norway spruce | Coconut palm; Mango
Visit in the leafless season | bare | Holm oak; European holly | European larch; Ginkgo; Dawn redwood
Leaf arrangement inspection | facing each other in pairs or threes | Rowan | European ash; Box elder
Survey of the sexes | each tree has one sex only | English oak; Wild cherry | European yew; White willow
Search for wings | winged | Swiss stone pine; English oak | Scots pine; Wych elm; Tulip tree
Marking of young fruits | ripe after more than twelve months | English oak | Northern red oak; Scots pine
Root section under the microscope | a sheath of threads around the rootlets | European ash | European beech
Wood section under the hand lens | a ring of large pores in each growth layer | Silver birch | English oak
Search for resin canals | canals absent | Norway spruce; European larch | European yew; Western hemlock; Mango
Map of Europe | wild in Europe | Black locust; Ginkgo; Mango | Horse chestnut; English walnut
""",
    "bacteria_identification": """
DNA base composition | 70.0 | Clostridium tetani; Escherichia coli | Micrococcus luteus
DNA base composition | 28.0 | Mycobacterium tuberculosis | Clostridium perfringens; Campylobacter jejuni
Cold limit in a gradient incubator | 1.0 | Campylobacter jejuni | Listeria monocytogenes
Wait for colonies | 21.0 | Escherichia coli; Bacillus cereus | Mycobacterium tuberculosis
Gram stain | violet | Escherichia coli; Vibrio cholerae | Listeria monocytogenes; Bacillus subtilis
Cell shape under the microscope | round or oval | Escherichia coli | Micrococcus luteus; Brucella melitensis
Flagella stain | none | Proteus mirabilis | Klebsiella pneumoniae; Bacillus anthracis; Shigella sonnei
Spore stain | spores seen | Listeria monocytogenes | Bacillus anthracis; Clostridioides difficile
Catalase test | no bubbles | Staphylococcus aureus | Streptococcus pyogenes; Enterococcus faecalis
Oxidase test | purple | Escherichia coli; Acinetobacter baumannii | Pseudomonas aeruginosa; Vibrio cholerae
Indole test | red ring | Klebsiella pneumoniae; Proteus mirabilis | Escherichia coli; Klebsiella oxytoca
Voges-Proskauer test | red colour | Escherichia coli | Klebsiella pneumoniae; Serratia marcescens
Triple sugar iron stab | black | Shigella sonnei; Escherichia coli | Salmonella Typhimurium; Proteus vulgaris
Christensen urea slant | turns pink | Escherichia coli | Helicobacter pylori; Proteus mirabilis
Sucrose broth | no acid from sucrose | Vibrio cholerae | Vibrio parahaemolyticus
Maltose broth | no acid from maltose | Neisseria meningitidis | Neisseria gonorrhoeae
Sheep blood agar | clear zone | Streptococcus pneumoniae | Streptococcus pyogenes; Bacillus cereus
Lysine decarboxylase tube | lysine is split | Shigella flexneri | Salmonella Typhi; Klebsiella pneumoniae
Incubation in plain air | grows in plain air | Bacteroides fragilis | Escherichia coli; Micrococcus luteus
""",
    "mammal_identification": """
Weighing | 0.01 | Eurasian beaver; Lion | Common shrew; Common pipistrelle
Weighing | 100000.0 | Giant panda; Lion | Blue whale
Pregnancy record | 660.0 | Lion; House mouse | African bush elephant; Asian elephant
Litter count | 4.0 | Giraffe; Blue whale | Nine-banded armadillo; Wild boar
Chromosome count | 48.0 | Lion; House mouse | Chimpanzee; European hare
Tooth count | 0.0 | Lion; Grey wolf | Platypus; Giant anteater; Blue whale
Upper incisor count | 0.0 | Plains zebra; Lion | American bison; Roe deer; Giraffe
Front digit count | 1.0 | Brown bear; Chimpanzee | Plains zebra; Dromedary
Look at the newborn | eyes open | European rabbit; Brown bear | European hare; Moose
Stomach contents | plants almost alone | Tiger; European mole | Giant panda; Koala
Range map of Africa | native to Africa | Tiger; Koala; Raccoon | Lion; Aardvark; Hippopotamus
Range map of the Americas | native to the Americas | Lion | Moose; Polar bear; Virginia opossum
Search for a penis bone | bone present | Spotted hyena; Plains zebra; European rabbit | Walrus; Chimpanzee
Dissection of the liver | gall bladder absent | House mouse; Lion | Brown rat; Plains zebra; Red kangaroo
Examination of the male | scrotum present | Asian elephant; Rock hyrax | Lion; Koala
Study of early embryos | a regular pause | Moose; Lion | Roe deer; European badger; Polar bear
Section of the tooth roots | some teeth grow all life | Grey wolf | Brown rat; Walrus; European hare
Dissection of the womb | two separate wombs | Grey wolf; Chimpanzee | European rabbit; Koala
""",
}
SLUGS = tuple(FACTS)
EACH_FACT = [(slug, line) for slug, text in FACTS.items() for line in text.strip().splitlines()]


@pytest.mark.parametrize(("slug", "fact"), EACH_FACT)
def test_an_observation_rules_out_the_one_and_keeps_the_other(slug: str, fact: str) -> None:
    action, shown, *listed = (part.strip() for part in fact.split("|"))
    excluded, kept = (set(part.split("; ")) - {""} for part in listed)
    config = seed_config(slug)
    (outcome,) = (outcome for outcome in config.outcomes if outcome.action == action)
    place = outcome.state_of(float(shown) if outcome.kind == "float" else shown)
    assert place is not None, f"{shown!r} is no outcome of {action!r}"
    assert excluded | kept <= set(config.truths)
    assert excluded <= set(outcome.states[place].rules_out)
    assert kept.isdisjoint(outcome.states[place].rules_out)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_domain_is_large_enough_and_without_findings(slug: str) -> None:
    config = seed_config(slug)
    kinds = [outcome.kind for outcome in config.outcomes]
    assert len(config.truths) >= MIN_TRUTHS
    assert len(config.actions) >= MIN_ACTIONS
    assert min(kinds.count("float"), kinds.count("str")) >= 8
    assert validate_config(config) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_no_two_actions_divide_the_truths_in_the_same_way(slug: str) -> None:
    encoded = encode_config(seed_config(slug))
    divisions = [tuple(sorted(states)) for states in encoded.masks]
    assert len(set(divisions)) == len(divisions)
    assert all(len(set(states)) > 1 and all(states) for states in divisions)


@pytest.mark.parametrize("slug", SLUGS)
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
def test_hard_instances_take_a_moderate_number_of_steps(slug: str) -> None:
    encoded = encode_config(seed_config(slug))
    sample = sample_instances(encoded, SamplingRequest(Setting.parse("hard"), count=20, seed=0))
    batch = [encode_instance(encoded, instance) for instance in sample.instances]
    steps = [solution.expected_steps for solution in solve_instances(batch, work_limit=20)]
    assert None not in steps
    assert 2.8 <= mean(value for value in steps if value is not None) <= 4.5


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
