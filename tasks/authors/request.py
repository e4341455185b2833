"""How an author's call is put together from templates."""

from collections.abc import Sequence

from perennial.prompts.render import render, template_hash
from perennial.schemas.model_calls.calls import Message, ModelChoice, ModelRequest, Role


def author_request(
    role: Role, author: ModelChoice, system: str, template: str, repeat: int, /, **values: object
) -> ModelRequest:
    """Return the call of an author: two templates, the second one filled with the values."""
    messages = (message("system", system), message("user", template, **values))
    return conversation_request(role, author, messages, template, repeat)


def conversation_request(
    role: Role, author: ModelChoice, messages: Sequence[Message], template: str, repeat: int
) -> ModelRequest:
    """Return the call that sends these messages; `template` is that of the last one, which asks."""
    return ModelRequest(
        role=role,
        model=author.model,
        messages=tuple(messages),
        params=dict(author.params),
        template=template,
        template_hash=template_hash(template),
        repeat=repeat,
    )


def message(role: str, template: str, /, **values: object) -> Message:
    """Return a rendered message in the OpenAI chat form."""
    return {"role": role, "content": render(template, **values).strip("\n")}
