"""Facts that the domains of culture must state, looked up in the generated JSON."""

import pytest

from schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS
from tasks.kumo.validation import validate_config
from tests.warehouse.test_seed_facts import seed_config

# Action | observation (* is any) | truths that it rules out | truths that it keeps
FACTS = {
    "painter_identification": """
Year of birth | 1500.0 | Paul Klee; Vincent van Gogh | Leonardo da Vinci; Katsushika Hokusai
Year of birth | 1900.0 | Claude Monet | Frida Kahlo; Vincent van Gogh
Year of death | 1950.0 | Vincent van Gogh | Claude Monet; Pablo Picasso
Age reached | 90.0 | Raphael; Egon Schiele; Vincent van Gogh | Pablo Picasso; Marc Chagall
Season of birth | 2.5 | Claude Monet; Rembrandt | Vincent van Gogh; Raphael
Latitude of the birthplace | 30.0 | Rembrandt; Edvard Munch | Frida Kahlo; El Greco
Distance from cradle to deathbed | 3000.0 | Johannes Vermeer; Salvador Dalí | Paul Gauguin; Claude Monet
Size of the painted work | 20.0 | Claude Monet | Johannes Vermeer; Leonardo da Vinci; Raphael
Impressionist exhibitions | 4.0 | Édouard Manet; Vincent van Gogh | Claude Monet; Georges Seurat
Country of birth | not in France | Claude Monet | Camille Pissarro; Vincent van Gogh
Country of death | not in European France | Leonardo da Vinci; Pablo Picasso | Paul Gauguin
Pronoun in the entry | he | Berthe Morisot; Frida Kahlo | Claude Monet
Weddings | none | Rembrandt; Pablo Picasso | Edgar Degas; Vincent van Gogh; Frida Kahlo
Children | the line is unreadable | | Edgar Degas; Paul Klee
Children | named | Edgar Degas; René Magritte | J. M. W. Turner; Raphael
Stay in Italy | never was there | Albrecht Dürer; Nicolas Poussin | Rembrandt; John Constable
Stay in the United States | spent time there | Claude Monet | Edgar Degas; Camille Pissarro
Manner of death | by illness or age | Jackson Pollock; Mark Rothko | Claude Monet; Caravaggio
Burial in Paris | found there | Claude Monet | Eugène Delacroix; Jacques-Louis David
Office at court | held none | Diego Velázquez; Leonardo da Vinci | Rembrandt; Raphael
Armory Show catalogue | in the catalogue | Gustav Klimt; Paul Klee | Eugène Delacroix; Francisco Goya
Hundred-million sale | no such sale | Amedeo Modigliani; Edvard Munch | Rembrandt; Mark Rothko
Stay in Italy | * | | Berthe Morisot
""",
    "language_identification": """
Alphabet count | 20.0 | Russian; Spanish; Vietnamese | Modern Greek; Modern Hebrew; Hindi
Vowel chart | 5.0 | French; Finnish | Spanish; Modern Standard Arabic; Russian
Consonant chart | 12.0 | English; Hindi | Māori; Japanese
Declension table | 15.0 | German; French | Finnish; Hungarian; Estonian
Declension table | 0.5 | German; Finnish | French; English; Japanese
Tone table | 0.5 | Mandarin Chinese; Thai; Yoruba | French; Khmer; Swedish
Present tense table | 1.0 | Spanish; Russian | English; Swedish; Mandarin Chinese; Esperanto
Number of native speakers | 0.5 | English; Finnish | Icelandic; Māori; Swahili
Latitude of the capital | 0.0 | French; Finnish | Portuguese; Indonesian; Swahili
Glance at the script | not the Latin alphabet | Turkish; Vietnamese | Russian; Persian
Glance at the script | not the Arabic alphabet | Persian; Urdu | Modern Hebrew; Turkish
Leaf from the family tree | not among the Indo-European languages | Persian; Hindi | Basque; Finnish
Order of the sentence | the verb does not come first | Welsh; Malagasy | Modern Standard Arabic; French
Definite article | none at the noun's end | Bulgarian; Romanian | Swedish; English
Genders and classes | no such groups | German; Swahili | Finnish; English; Persian
Noun after five | a plural form | Turkish; Hungarian; Welsh | English; Swahili; Hindi
Counting words | not needed | Mandarin Chinese; Thai | Hungarian; Khmer
Polite address | found | English; Modern Hebrew | French; Japanese
Pronouns for he and she | two different ones | Finnish; Persian; Swahili | English; Mandarin Chinese
We with and without you | found | English; Hausa | Indonesian; Tamil; Mandarin Chinese
Word for eighty | it is not | French; Georgian; Basque | Welsh; Italian
Vowel harmony | it does not | Finnish; Turkish | Estonian; Korean
Nasal vowels | none | Portuguese; Hindi | Polish; Spanish
Ejectives | found | French; Turkish | Georgian; Amharic; Southern Quechua
Word for tea | not like cha or chai | Portuguese; Japanese | Burmese; Malagasy
Polite address | * | | Swedish
""",
    "battle_identification": """
Year of the battle | -200.0 | Agincourt; Trafalgar | Marathon; Zama; Ain Jalut
Year of the battle | 1500.0 | Waterloo; Hastings | Agincourt; Lepanto
Season of the battle | 10.0 | Waterloo; Crécy | Hastings; Austerlitz; Zama
Day of the week | not Sunday | Waterloo; Lepanto; Adwa | Trafalgar; Cannae
Day of the week | not Wednesday or Thursday | Gettysburg; Jutland; Sedan | Hastings
Length of the fight | 100.0 | Waterloo; Gettysburg | Verdun; Stalingrad; Dien Bien Phu
Latitude of the field | 10.0 | Waterloo; Stalingrad | Ayacucho; Isandlwana; Adwa
Height of the field | 2000.0 | Trafalgar; Yorktown | Ayacucho; Manzikert; Adwa
Way to the sea | 500.0 | Lepanto; Culloden | Little Bighorn; First Panipat; Borodino
Strength of the losers | 1.0 | Leipzig; Stalingrad | Isandlwana; Little Bighorn; Lepanto
Age of the victor | 25.0 | Sedan; Tannenberg | Gaugamela; Poitiers; Verdun
Country of the field | not in France, Belgium or Britain | Crécy; Waterloo; Hastings | Leipzig; Jutland
War | not in a world war | Midway; Verdun | Waterloo; Adwa
Fleet action | on land | Salamis; Trafalgar; Tsushima | Marathon; Iwo Jima
Gunpowder | used | Hastings; Cannae | Crécy; Waterloo
Aircraft | not used | Jutland; Midway; Tannenberg | Tsushima; Adwa
Allied victors | one state or people alone | Leipzig; Lepanto; Waterloo | Agincourt; Jutland
French army | on no side | Agincourt; Trafalgar; Dien Bien Phu | Poltava; Tours
Ruler on the field | none was there | Hastings; Austerlitz; Sedan | Trafalgar; Second El Alamein
Fallen commander | none died | Plains of Abraham; Trafalgar; Hastings | Waterloo; Borodino
Captured commander | not taken | Poitiers; Manzikert; Sedan | Waterloo; Agincourt
Odds | the more numerous won | Agincourt; Cannae; Plassey | Leipzig; Verdun
Fate of the losers | most of it was lost | Borodino; Lützen | Cannae; Stalingrad; Waterloo
Gunpowder | * | | Agincourt
""",
    "sport_identification": """
Size of a side | 1.0 | Association football; Beach volleyball | Chess; Marathon
Size of a side | 12.0 | Basketball; Ice hockey | Rugby union; Rowing eights; Netball
Length of the ground | 100.0 | Squash singles; Basketball | Polo; Bandy; Golf
Weight of the object | 200.0 | Table tennis singles; Rugby union | Ice hockey; Volleyball; Chess
Width of the object | 50.0 | Basketball; Handball | Golf; Snooker; Tennis singles
Length of the contest | 80.0 | Basketball; Judo | Rugby union; Bandy; Marathon
Length of the contest | 1.0 | Marathon; Handball | 100 metres; Downhill skiing
Height of the goal | 3.05 | Handball; Floorball | Basketball; Netball; Rugby union
Width of the goal | 3.0 | Association football; Basketball | Handball; Bandy; Ice hockey
First medals | 2000.0 | Marathon; Ice hockey | Badminton singles; Rugby sevens; Squash singles
Year of the federation | 1900.0 | Judo; Bandy | Rugby union; Figure skating singles; Snooker
Thing in play | no oval ball | Rugby league; American football | Twenty20 cricket; Ice hockey
Surface | neither turf nor sand | Polo; Beach volleyball | Futsal; Tennis singles
Stick, bat or racket | not known | Bandy; Snooker; Golf | Handball; Curling
Net across the middle | not there | Sepak takraw; Volleyball | Squash singles; Handball
Goalkeeper | listed | Basketball; Korfball | Water polo; Netball
Rolling substitutions | they may | Association football; Volleyball | Ice hockey; Polo
Offside | offside does not exist | Bandy; Rugby union | Field hockey; Water polo
Sets, legs and frames | it is | Basketball; Golf | Darts; Recurve archery
Weight classes | none | Judo; Weightlifting | Sumo; Chess
Olympic programme | not in Paris | Golf; Rugby sevens | Curling; Squash singles
Land of the first rules | not in the United States | Volleyball; Ultimate | Polo; Handball
Judges' marks | they do not | Ski jumping; Dressage | Pole vault; Sumo
Draws | * | | Golf
""",
}
EACH_FACT = [(slug, line) for slug, text in FACTS.items() for line in text.strip().splitlines()]


@pytest.mark.parametrize(("slug", "fact"), EACH_FACT)
def test_an_observation_rules_out_the_one_and_keeps_the_other(slug: str, fact: str) -> None:
    action, shown, *listed = (part.strip() for part in fact.split("|"))
    excluded, kept = (set(part.split("; ")) - {""} for part in listed)
    config = seed_config(slug)
    (outcome,) = (outcome for outcome in config.outcomes if outcome.action == action)
    seen = [outcome.state_of(float(shown) if outcome.kind == "float" else shown)] if shown != "*" else None
    assert seen != [None], f"{shown!r} is no outcome of {action!r}"
    places = range(len(outcome.states)) if seen is None else [place for place in seen if place is not None]
    assert excluded | kept <= set(config.truths)
    for place in places:
        assert excluded <= set(outcome.states[place].rules_out)
        assert kept.isdisjoint(outcome.states[place].rules_out)


@pytest.mark.parametrize("slug", FACTS)
def test_the_domain_is_large_enough_and_without_findings(slug: str) -> None:
    config = seed_config(slug)
    kinds = [outcome.kind for outcome in config.outcomes]
    assert len(config.truths) >= MIN_TRUTHS
    assert len(config.actions) >= MIN_ACTIONS
    assert min(kinds.count("float"), kinds.count("str")) >= 8
    assert validate_config(config) == []


@pytest.mark.parametrize("slug", FACTS)
def test_no_two_actions_divide_the_truths_alike(slug: str) -> None:
    divisions = [
        frozenset(frozenset(state.rules_out) for state in outcome.states)
        for outcome in seed_config(slug).outcomes
    ]
    assert len(set(divisions)) == len(divisions)


@pytest.mark.parametrize("slug", FACTS)
def test_every_note_is_a_sentence_of_its_own(slug: str) -> None:
    config = seed_config(slug)
    notes = [*config.truth_notes.values(), *config.action_notes.values()]
    assert len(set(notes)) == len(notes) == len(config.truths) + len(config.actions)
    assert all(note.endswith((".", "?")) for note in notes)
