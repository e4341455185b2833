"""KnowLogic's own tables, beside the shared ones of `perennial.schemas.tables`."""

from perennial.schemas.knowlogic.things import (
    ANALYSIS,
    BRACKETS,
    DIFFICULTIES,
    DOMAINS,
    ERROR_CLASSES,
    ITEM_VERDICTS,
    LANGUAGES,
    PRECISIONS,
    QUESTION_TYPES,
)
from perennial.schemas.table_form import Column, Reference, Table, analyses_table

_UNKNOWN = ", NULL for an imported question"

QUESTIONS = Table(
    "knowlogic_questions",
    "a question in one language, beside its row of `instances`",
    (
        Column("instance_id", "string", "content id of the pair and the language"),
        Column("pair", "string", "the question whatever the language: its two texts share it"),
        Column("language", "string", "the language of text, question and options", allowed=LANGUAGES),
        Column("domain", "string", "the domain", allowed=DOMAINS),
        Column("scenario", "string", "the scenario: the frame of the text" + _UNKNOWN, nullable=True),
        Column(
            "type",
            "string",
            "what is asked for" + _UNKNOWN,
            nullable=True,
            allowed=QUESTION_TYPES,
        ),
        Column(
            "precision",
            "string",
            "precise: what is asked for fits one choice, vague: it may fit several" + _UNKNOWN,
            nullable=True,
            allowed=PRECISIONS,
        ),
        Column("text", "string", "introduction and statements"),
        Column("question", "string", "what is asked"),
        Column("options", "list<string>", "the four options, A to D"),
        Column("letters", "string", "the letters of the right options, in order, such as AC"),
        Column("has_none", "bool", "whether option D is 'none of the above'"),
        Column(
            "properties",
            "list<string>",
            "the properties that statements, options and derivation use" + _UNKNOWN,
            nullable=True,
        ),
        Column(
            "relations",
            "list<string>",
            "the relations that statements, options and derivation use" + _UNKNOWN,
            nullable=True,
        ),
        Column("rules", "list<string>", "the rules that the derivation uses" + _UNKNOWN, nullable=True),
        Column(
            "chain_length",
            "int64",
            "fewest steps that decide its hardest option" + _UNKNOWN,
            nullable=True,
            minimum=0,
        ),
        Column(
            "variables",
            "string",
            "the variables of the difficulty formula, by the paper's names (JSON)" + _UNKNOWN,
            nullable=True,
        ),
        Column("level", "float64", "the value of the paper's difficulty formula" + _UNKNOWN, nullable=True),
        Column(
            "difficulty",
            "string",
            "the class: by chain length and options to decide; of an imported question as given",
            allowed=DIFFICULTIES,
        ),
        Column("statements", "int64", "number of statements" + _UNKNOWN, nullable=True, minimum=1),
        Column("entities", "int64", "number of entities arranged" + _UNKNOWN, nullable=True, minimum=1),
        Column("payload", "string", "the problem without a language (JSON)" + _UNKNOWN, nullable=True),
        Column("prompt", "string", "the text that players are shown"),
        Column("template_hash", "string", "hash of the template that the prompt was made from"),
        Column(
            "rejected_draws",
            "int64",
            "draws that its generator rejected before it" + _UNKNOWN,
            nullable=True,
            minimum=0,
        ),
    ),
    key=("instance_id",),
    extends="instances",
    references=(Reference("instance_id", "instances", "instance_id"),),
)

GATE = Table(
    "knowlogic_gate",
    "what the gate proved and tried on the questions of one scenario before anybody played",
    (
        Column("domain", "string", "the domain", allowed=DOMAINS),
        Column("scenario", "string", "the scenario"),
        Column("pairs", "int64", "questions that were tested, whatever their languages", minimum=0),
        Column("texts", "int64", "of these, texts that were read back to the same problem", minimum=0),
        Column("proved", "int64", "questions of one arrangement by two engines", minimum=0),
        Column("options", "int64", "options that both engines decide, and alike", minimum=0),
        Column("changes", "int64", "changed texts and replies that were tried", minimum=0),
        Column("refused", "int64", "of these, found by the reader or the grader", minimum=0),
    ),
    key=("domain", "scenario"),
)

ANSWERS = Table(
    "knowlogic_answers",
    "what was read of an episode's reply and how it differs from the right letters, beside its row of "
    "`episodes`",
    (
        Column("episode_id", "string", "the episode"),
        Column(
            "letters",
            "string",
            "the letters that were read, in order, NULL where none were",
            nullable=True,
        ),
        Column("extracted", "bool", "whether letters were read"),
        Column(
            "brackets",
            "string",
            "the brackets they stood in: square [], lenticular 【】, boxed of LaTeX, NULL where none were",
            nullable=True,
            allowed=BRACKETS,
        ),
        Column(
            "error_class",
            "string",
            "what wrong letters are to the right ones: a subset, a superset, an overlap or disjoint; NULL "
            "where they are right or none were read",
            nullable=True,
            allowed=ERROR_CLASSES,
        ),
        Column(
            "lenient_letters",
            "string",
            "the letters that a lenient reading takes, also without the brackets that the prompt asks for, "
            "in order; NULL where it takes none. They do not count in `episodes.success`",
            nullable=True,
        ),
    ),
    key=("episode_id",),
    extends="episodes",
    references=(Reference("episode_id", "episodes", "episode_id"),),
    kind="answers",
)

VERDICTS = Table(
    "knowlogic_verdicts",
    "what the engine says of the key of an imported question, beside its row of `knowlogic_questions`",
    (
        Column("instance_id", "string", "the question in one language"),
        Column(
            "verdict",
            "string",
            "agrees: the key follows, differs: other letters do, open: an option is true in some "
            "arrangements only, impossible: the statements allow none, undecided: the engine does not "
            "read the text",
            allowed=ITEM_VERDICTS,
        ),
        Column(
            "letters",
            "string",
            "the letters that follow from the statements, in order, NULL where none are decided",
            nullable=True,
        ),
        Column("reason", "string", "the reason in words"),
    ),
    key=("instance_id",),
    references=(Reference("instance_id", "instances", "instance_id"),),
)

KNOWLOGIC_TABLES = (QUESTIONS, GATE, VERDICTS, ANSWERS, analyses_table(ANALYSIS.table_name, ANALYSIS.wrong))
