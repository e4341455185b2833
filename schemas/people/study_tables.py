"""The table of people who played: who they are in bands, what they did, and whether their answers count."""

from perennial.schemas.table_form import Column, Table

PARTICIPANTS = Table(
    "participants",
    "one person who agreed to take part in a study",
    (
        Column("participant", "string", "the player's name, human: and the public part of the code"),
        Column("consented", "bool", "whether the person agreed to take part"),
        Column("age_band", "string", "the age band, NULL where it was not given", nullable=True),
        Column("education", "string", "the level of education, NULL where it was not given", nullable=True),
        Column("gender", "string", "the gender, NULL where it was not asked for or given", nullable=True),
        Column("major", "string", "field of study, NULL where it was not asked for or given", nullable=True),
        Column("assigned", "int64", "tasks that were assigned", minimum=0),
        Column(
            "started", "int64", "of these, those whose clock was started: the person's episodes", minimum=0
        ),
        Column("answered", "int64", "of these, those that were answered in time", minimum=0),
        Column("solved", "int64", "of these, those that were answered rightly", minimum=0),
        Column("actions", "int64", "actions taken in all assigned tasks, answers aside", minimum=0),
        Column(
            "median_seconds",
            "float64",
            "median of seconds from the start of a task to its answer, NULL where none was answered",
            nullable=True,
            minimum=0,
            volatile=True,
        ),
        Column("earnings", "float64", "what the person earned, 0 where excluded", minimum=0),
        Column("excluded", "bool", "whether the answers are left out as random ones in a very short time"),
        Column("exclusion", "string", "why they are left out, NULL where they are not", nullable=True),
    ),
    key=("participant",),
    kind="answers",
)
