"""BeyondBench's own settings: section [beyondbench] of perennial.toml."""

from schemas.settings import RefreshSettings
from schemas.settings.form import Names, setting


class BeyondBenchSettings(RefreshSettings):
    """Which tasks, how many problems of each variation, and the budget of tokens."""

    tasks: Names = setting(
        [],
        "Tasks, separated by commas: a suite (easy, medium, hard), a task, TASK/VARIATION, or paper for all "
        "variations that the paper counts; `perennial tasks list` shows them. Default: all.",
    )
    players: Names = setting(
        [],
        "Players, separated by commas: exact, careless, random, guesser; any other name is treated as a "
        "model. Default: these four.",
    )
    instances: int = setting(20, "Problems per variation.", ge=1, le=1_000_000)
    context_tokens: int | None = setting(
        None,
        "Budget of tokens: prompt and solution take at most 85 % of it, smaller sizes are drawn where they "
        "would not. Default: the least context of the players in models.toml, else 32768.",
        example=8_192,
        ge=1,
    )
    tokenizer: str = setting(
        "",
        "Path of a tokenizer.json by which the edition's prompts are counted (needs pip install "
        "'perennial-bench[tokenizers]'). Default: an estimate, a token for up to three digits, six letters "
        "or one sign.",
    )
