"""Facts of the domains of computing, engineering, transport and food, looked up in the generated JSON."""

import pytest

from schemas.kumo.things import Setting
from tasks.kumo.encoding import encode_config, encode_instance
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.search import solve_instances
from tests.warehouse import test_seed_facts as seed_facts

# Action | observation | truths that it rules out | truths that it keeps
FACTS = {
    "programming_languages": """
Date of First Appearance | 1960.0 | Rust; Ada; Python | Fortran; COBOL; ALGOL 60
Date of First Appearance | 2015.0 | Java; C language | Go language; Swift; Zig
Reserved Word Count | 5.0 | COBOL; Python; Go language | Scheme; Smalltalk; Fortran
Seven Divided by Two | 3.5 | C language; Java; OCaml | Python; Pascal; Common Lisp
Remainder of Minus Seven by Three | 2.0 | C language; Java; Go language | Python; Ruby; Lua
Length of an Emoji | 2.0 | Python; Rust | Java; JavaScript; C#
Index of the First Element | 1.0 | C language; Python | Fortran; Lua; Julia; MATLAB
Value of the Literal 010 | 8.0 | Rust; Haskell | C language; Java; Perl
End of a Statement | a semicolon | Python; Ruby | C language; Pascal; Rust
Limits of a Block | curly braces | Python; Ada; Lua | Ruby; PHP; C language
Line Comment Mark | two slashes | Python; Haskell | PHP; C++; Go language
Sign of Inequality | exclamation mark and equals sign | Pascal; Lua; Haskell | PHP; C language
Shifted Indentation | the program stays the same | Python; Nim | C language; Fortran
Change of Letter Case | taken for the same name | C language; Modula-2 | Pascal; Ada; Nim
Mistake in the Last Step | refused before the first step runs | Python; Ruby | Rust; Groovy; Forth
Zero as a Condition | counts as true | C language; Java | Ruby; Lua; Scheme
Hundredth Power of Two | all digits are right | C language; JavaScript | Python; Haskell; Scheme
Recovery of Unused Memory | the run-time system, for all values | C language; Rust | Swift; Simula
Goto Statement Search | there is none | Go language; C#; Fortran | Java; Python; Modula-2
Two Plus Signs after a Variable | the variable grows by one | Python; Swift; Ruby | AWK; Go language
Search for a Formal Standard | found | Python; Rust; Java | C language; Ruby; Dart; Simula
Continent of Origin | another continent | Python; C language | Lua; Ruby; R language; Haskell
Platform of the Reference Implementation | the processor, as machine code | Scala; Python | OCaml; Rust
Platform of the Reference Implementation | a platform of another language or of several | Erlang | Elixir; F#
Platform of the Reference Implementation | an interpreter or virtual machine of its own | Elixir | Java
""",
    "engineering_materials": """
Density by Immersion | 1.0 | Aluminium; Alumina; Lead | Polystyrene; Nylon 66
Density by Immersion | 15.0 | Titanium; Mild steel | Gold; Copper; Tungsten
Melting Point by Calorimetry | 110.0 | Tin; Polypropylene | Low-density polyethylene; Soda-lime glass
Melting Point by Calorimetry | 2500.0 | Copper; Nickel | Tungsten; Alumina; Titanium
Young's Modulus by Resonance | 300.0 | Copper; Lead; PEEK | Alumina; Tungsten; Mild steel
Thermal Conductivity by Hot Plate | 300.0 | Titanium; Nylon 66 | Copper; Silver; Aluminium
Dilatometry | 1.0 | Aluminium; Mild steel | Invar; Fused silica
Vickers Indentation | 1500.0 | Gold; Mild steel | Alumina; Silicon carbide
Iron by Spectrometry | 70.0 | Copper; Monel 400 | Stainless steel 304; Mild steel
Carbon by Combustion | 90.0 | Mild steel; Silicon carbide | Graphite; Polystyrene
Magnet on a String | clear pull | Copper; Stainless steel 304 | Nickel; Stainless steel 430
Print behind the Sample | the print can be read | Copper; Acetal | Polycarbonate; Fused silica
X-ray Diffraction Pattern | rings of a body-centred cubic metal | Copper; Zinc | Tungsten; Mild steel
Acetone Soak | unharmed | Polystyrene; ABS | Copper; Polypropylene
Caustic Soda Solution | brisk bubbles | Copper; Titanium | Aluminium; Silumin; Zinc
Warm Nitric Acid | hardly changed | Copper; Silver | Gold; Platinum; Stainless steel 304
Hammer Blow in Liquid Nitrogen | bends or tears slowly | Mild steel; Zinc | Copper; Stainless steel 304
Hot Plate under Nitrogen | loses its shape | Lead; Copper | Tin; Polycarbonate
Plunge into Ice Water | whole | Soda-lime glass; Alumina | Fused silica; Copper
Date of First Making | -5000.0 | Titanium; Polystyrene | Copper; Gold
""",
    "airliner_identification": """
Length on the Apron | 70.0 | Boeing 737-100; Fokker 100 | Boeing 747-100; Concorde
Wing Span on the Apron | 60.0 | Concorde; Embraer ERJ 145 | Boeing 777-200; Airbus A380-800
Date of the First Flight | 1950.0 | Boeing 747-100; Airbus A320 | Douglas DC-3; Boeing 707-120
Maximum Take-off Mass | 10.0 | Boeing 757-200; Concorde | Saab 340A; Douglas DC-3
Wheel Count on the Main Gear | 4.0 | Boeing 747-100; Tupolev Tu-154 | Airbus A320; Boeing 727-100
Radar Track at Fast Cruise | 2000.0 | Douglas DC-3; ATR 72-200 | Concorde; Tupolev Tu-144S
Number Built | 20.0 | Airbus A320; Douglas DC-3 | Concorde; Vickers VC10
Engine Count | three | Boeing 737-100; Concorde | Boeing 727-100; Yakovlev Yak-42
Look into an Engine | an engine that turns a propeller | Concorde; Fokker 100 | Douglas DC-3; ATR 72-200
Place of the Engines | an engine at the tail | Boeing 737-100 | Vickers VC10; McDonnell Douglas MD-11
Name on the Engine Plate | Rolls-Royce | Airbus A340-300; Boeing 707-120 | Concorde; Boeing 777-200
Place of the Wing | at its top | Boeing 737-100; Saab 340A | BAe 146-100; Antonov An-24
Place of the Tailplane | at the top of the fin | Airbus A320; Concorde | Boeing 727-100; Fokker F28-1000
Wing Tip Inspection | plain tips | Airbus A340-300 | Boeing 747-100; Boeing 787-8
Search for Stairs under the Tail | found | Boeing 737-100; Fokker 100 | Boeing 727-100; Yakovlev Yak-40
Aisle Count | two aisles | Boeing 757-200; Ilyushin Il-62 | Boeing 767-200; Ilyushin Il-86
Seats in a Row | five | Boeing 737-100; Concorde | Douglas DC-9-10; BAe 146-100
Flight Deck Crew | two | Boeing 747-100; Airbus A300B2 | Airbus A310-200; Boeing 767-200
Path of the Pilot's Commands | electric signals | Boeing 747-100; Boeing 727-100 | Concorde; Airbus A320
Home of the First Airline | Europe without the Soviet Union and Russia | Boeing 747-100 | Embraer 170
""",
    "cheese_identification": """
Weighing | 60.0 | Camembert de Normandie; Taleggio | Emmentaler; Beaufort
Calliper across the Piece | 90.0 | Reblochon; Roquefort | Emmentaler; Taleggio
Youngest Age on Sale | 300.0 | Reblochon; Mascarpone | Sbrinz; Parmigiano Reggiano; Comté
Fat in Dry Matter | 5.0 | Mascarpone; Roquefort | Harzer; Grana Padano
Drying to Constant Mass | 60.0 | Parmigiano Reggiano; Sbrinz | Mozzarella di Bufala Campana; Ricotta
Chloride Titration | 3.5 | Emmentaler; Mascarpone | Roquefort; Pecorino Romano; Feta
Latitude of the Dairy | 40.0 | Comté; Danablu | Manchego; Feta; Halloumi
Date of First Legal Protection | 2010.0 | Roquefort; Comté | Gouda Holland; Oscypek; Mimolette
Test for Cow's Casein | not found | Comté; Blue Stilton | Roquefort; Valençay; Feta
Test for Sheep's Casein | found | Comté; Valençay | Manchego; Pecorino Romano; Ricotta
Phosphatase Test of the Milk | destroyed | Roquefort; Comté | Gorgonzola; Munster
Thermometer in the Curd | kneaded and pulled in hot water | Comté; Feta | Provolone Valpadana
Watch at the Salting | the piece lies in brine | Roquefort; Paneer | Parmigiano Reggiano; Comté
White Down on the Rind | a white or grey-white down | Munster; Feta | Camembert de Normandie; Neufchâtel
Smear on the Rind | no such smear | Munster; Livarot | Parmigiano Reggiano; Comté
Outline of the Piece | a square or oblong block | Comté; Tetilla | Taleggio; Pont-l'Évêque; Feta
Colour of the Paste | orange or brown | Feta; Comté | Mimolette; Gudbrandsdalsost
Search for Blue Veins | blue or green veins | Feta; Comté | Roquefort; Danablu; Cabrales
Register of Designations of Origin | listed | Gouda Holland; Appenzeller | Feta; Gruyère; Ricotta
Coast of the Home Area | it has a coast | Comté; Gruyère; Oscypek | Feta; Mahón-Menorca
""",
}
EACH_FACT = [(slug, line) for slug, text in FACTS.items() for line in text.strip().splitlines()]


@pytest.mark.parametrize(("slug", "fact"), EACH_FACT)
def test_an_observation_rules_out_the_ones_and_keeps_the_others(slug: str, fact: str) -> None:
    action, shown, *listed = (part.strip() for part in fact.split("|"))
    out, left = (set(part.split("; ")) - {""} for part in listed)
    config = seed_facts.seed_config(slug)
    (outcome,) = (outcome for outcome in config.outcomes if outcome.action == action)
    place = outcome.state_of(float(shown) if outcome.kind == "float" else shown)
    assert place is not None, f"{shown!r} is no outcome of {action!r}"
    assert out | left <= set(config.truths)
    assert out <= set(outcome.states[place].rules_out)
    assert left.isdisjoint(outcome.states[place].rules_out)


@pytest.mark.parametrize("slug", FACTS)
def test_the_domain_is_large_enough_and_without_findings(slug: str) -> None:
    seed_facts.test_the_domain_is_large_enough_and_without_findings(slug)
    seed_facts.test_every_truth_and_every_action_has_a_note_of_its_own(slug)
    seed_facts.test_the_ranges_of_an_action_leave_no_gap(slug)
    seed_facts.test_every_truth_can_be_ruled_out_whichever_other_truth_is_valid(slug)


@pytest.mark.parametrize("slug", FACTS)
def test_no_two_actions_divide_the_truths_alike_and_no_state_rules_out_all(slug: str) -> None:
    encoded = encode_config(seed_facts.seed_config(slug))
    divisions = [frozenset(states) for states in encoded.masks]
    assert len(set(divisions)) == len(divisions)
    assert all(
        len(division) == len(states) for division, states in zip(divisions, encoded.masks, strict=True)
    )
    assert max(mask.bit_count() for states in encoded.masks for mask in states) < 0.95 * len(encoded.truths)


@pytest.mark.parametrize("slug", FACTS)
def test_the_optimum_of_hard_instances_is_between_two_and_six_tests(slug: str) -> None:
    encoded = encode_config(seed_facts.seed_config(slug))
    request = SamplingRequest(Setting.parse("hard"), count=20, seed=0, require_test=True)
    batch = [encode_instance(encoded, one) for one in sample_instances(encoded, request).instances]
    optima = [solution.optimum for solution in solve_instances(batch, work_limit=20, node_limit=900_000)]
    steps = [optimum.steps for optimum in optima if optimum is not None and optimum.status == "exact"]
    assert len(steps) == 20
    assert 2 <= min(steps) <= max(steps) <= 6
