"""How an author's call is put together from templates."""

from collections.abc import Sequence

from prompts.render import render, template_hash
from schemas.calls import Message, ModelChoice, ModelRequest, Role


def message(role: str, template: str, **values: object) -> Message:
    """Return a rendered message in the OpenAI chat form."""
    return {"role": role, "content": render(template, **values).strip("\n")}


def author_request(
    role: Role, author: ModelChoice, messages: Sequence[Message], template: str, repeat: int = 0
) -> ModelRequest:
    """Return the call of an author; `template` is that of the last message, which asks."""
    return ModelRequest(
        role=role,
        model=author.model,
        messages=tuple(messages),
        params=dict(author.params),
        template=template,
        template_hash=template_hash(template),
        repeat=repeat,
    )
