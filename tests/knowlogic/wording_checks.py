"""Faults that a machine finds in the words of a question, from its text alone.

What is there is told by the arrangement, of which the engine is asked; everything else is plain text.
"""

import re
from collections.abc import Iterator

from perennial.schemas.knowlogic.things import GAP, Language, Question
from perennial.tasks.knowlogic.problem import problem_of
from perennial.tasks.knowlogic.space.reasoning import arrangement_of, facts_of
from perennial.tasks.knowlogic.space.scenes import SCENES
from perennial.warehouse.knowlogic.knowledge import load_knowledge

_DOUBLED_WORD = re.compile(r"\b([A-Za-z]+) \1\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b([Aa]n?) (\w[\w-]*)")
# Words whose first sound is not that of their first letter.
_VOWEL_SOUNDS = re.compile(r"hour|heir|honest|honou?r|x-ray|8|11\b|18\b", re.IGNORECASE)
_CONSONANT_SOUNDS = re.compile(r"uni|use|used|usual|uku|eu|ewe|one\b|once", re.IGNORECASE)
# American spelling: these are the British forms of words that the tables have, or may get.
_BRITISH = re.compile(
    r"\b\w*(?:colour|neighbour|centre\b|aubergine|mollusc|grey|practise|practising|licence|metre|litre|"
    r"flavour|favourite|jewellery|pyjama|tyre|torch\b|torches|plough|travell|programme\b)\w*",
    re.IGNORECASE,
)
_SPACING = re.compile(r"  | [,.;?!]|[,;](?=[A-Za-z])|\.\.|\(\)|\{|\}|<[sab]>")
_ZH_DOUBLED = re.compile(
    r"的的|了了|在在|是是|和和|之之|东西的东西|动物的动物|人的人|的是的|。。|，，|、、|，。|\s[，。、]"
)
_ZH_WORD_TWICE = re.compile(r"(主要|用来|用于|属于|位于)\1")
_ZH_USED_FOR_THE_HEAD = re.compile(r"(东西|物品)的?(东西|物品)")
# What a sentence speaks of beside the things that it names.
_NEXT = {
    "left-hand neighbor": "left",
    "right-hand neighbor": "right",
    "section immediately above": "above",
    "section immediately below": "below",
    "plot due west": "west",
    "plot due east": "east",
    "plot due north": "north",
    "plot due south": "south",
}
_SPOKEN_OF = re.compile(rf"\b(?:the|The) ({'|'.join(_NEXT)})(?: of)? (.+?) is ")


def find_faults(text: str, language: Language) -> list[str]:
    """Return what is wrong with the words of a text, each as it stands there."""
    if language == "zh":
        patterns = (_ZH_DOUBLED, _ZH_WORD_TWICE, _ZH_USED_FOR_THE_HEAD)
        return [found[0] for pattern in patterns for found in pattern.finditer(text)]
    faults = [found[0] for pattern in (_DOUBLED_WORD, _BRITISH, _SPACING) for found in pattern.finditer(text)]
    for found in _ARTICLE.finditer(text):
        article, word = found[1].lower(), found[2]
        sounds_as_vowel = bool(_VOWEL_SOUNDS.match(word)) or (
            word[0].lower() in "aeiou" and not _CONSONANT_SOUNDS.match(word)
        )
        if (article == "an") is not sounds_as_vowel:
            faults.append(found[0])
    return faults


def fill_options(question: Question) -> list[str]:
    """Return what each own option says: the statement, or the question with its gap filled."""
    own = question.options[:-1] if question.has_none else question.options
    return [question.question.replace(GAP, each) if GAP in question.question else each for each in own]


def find_missing_referents(question: Question) -> list[str]:
    """Return statements and options in English that speak of a place that is not there.

    The left-hand neighbor of what stands at the left end is nothing. Only scenarios of space have such
    sentences; other questions have none.
    """
    if question.scenario not in SCENES or question.language != "en":
        return []
    statements = question.text.splitlines()[-question.statements :]
    return [said for said in (*statements, *fill_options(question)) if _lacks(question, said)]


def _lacks(question: Question, said: str) -> bool:
    return any(not there for there in _are_there(question, said))


def _are_there(question: Question, said: str) -> Iterator[bool]:
    found = _SPOKEN_OF.match(said)
    if not found or question.scenario.startswith(("ring", "booth")):
        return
    slot = _slots(question).get(_name(found[2]))
    if slot is None:
        return  # a description: the name of none of the listed things
    tier, _, column = slot.partition("_")
    beside = {
        "left": column != "left",
        "right": column != "right",
        "above": tier != "top",
        "below": tier != "bottom",
        "west": "west" not in slot,
        "east": "east" not in slot,
        "north": "north" not in slot,
        "south": "south" not in slot,
    }
    yield beside[_NEXT[found[1]]]


def _slots(question: Question) -> dict[str, str]:
    """Return the slot of each thing by its name."""
    problem = problem_of(question.payload)
    facts = facts_of(problem) if question.domain == "space" else None
    if facts is None:
        return {}
    slots = arrangement_of(facts.board, facts.statements)
    names = {row["id"]: _name(row["en"]) for row in load_knowledge().rows("space/items")}
    return {
        names[str(entity)]: facts.board.scene.slots[slot].id
        for entity, slot in zip(problem.entities, slots, strict=True)
    }


def _name(words: str) -> str:
    return words.removeprefix("the ").removesuffix(" plot").strip()
