"""The messages that a player who reads text gets: the same for the reader and for every model."""

from collections.abc import Sequence

from prompts.render import render
from schemas.kumo import Observation, SeedConfig, Turn

SYSTEM_TEMPLATE = "kumo/player_system.md.j2"
TURN_TEMPLATE = "kumo/player_turn.md.j2"

Message = dict[str, str]


def messages_for(
    config: SeedConfig, truths: Sequence[str], actions: Sequence[str], book: str, turns: Sequence[Turn]
) -> list[Message]:
    """Return the conversation up to the next move, in the OpenAI chat form.

    First the system message, then user and assistant in turn; the last message is the user's. Each
    message is a dict with `role` and `content`; the assistant's contents are the replies of `turns`.
    """
    messages = [system_message(config, truths, actions, book), user_message(config, truths, actions, None)]
    for turn in turns:
        messages.append({"role": "assistant", "content": turn.reply})
        messages.append(user_message(config, truths, actions, turn))
    return messages


def system_message(config: SeedConfig, truths: Sequence[str], actions: Sequence[str], book: str) -> Message:
    """Return the first message: the goal, the lists, how to play, and the book between <BOOK> tags."""
    content = render(
        SYSTEM_TEMPLATE,
        goal=config.goal.strip(),
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        truths=truths,
        actions=actions,
        book=book.strip("\n"),
    )
    return {"role": "system", "content": content}


def user_message(
    config: SeedConfig, truths: Sequence[str], actions: Sequence[str], last: Turn | None
) -> Message:
    """Return one turn's message: what the last action showed (None at the start), and both lists."""
    content = render(
        TURN_TEMPLATE,
        action=None if last is None else last.move,
        observation=None if last is None else quoted_observation(last.observation),
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        truths=truths,
        actions=actions,
    )
    return {"role": "user", "content": content}


def quoted_observation(observation: Observation | None) -> str:
    """Return a label in quotation marks, as books show it, or a number by `repr`, which reads back."""
    return f'"{observation}"' if isinstance(observation, str) else repr(observation)
