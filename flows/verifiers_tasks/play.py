"""Play a question through verifiers: each call goes to its endpoint, with the messages of that turn."""

from typing import TYPE_CHECKING

from perennial.flows.practice.grade import open_question
from perennial.tasks.llm.replies import read_message

if TYPE_CHECKING:
    from perennial.flows.verifiers_tasks.question_task import QuestionData


async def play_question(data: "QuestionData", model: str, endpoint: str, secret: str) -> str:
    """Play the question to its end; return why that failed, "" where it did not.

    verifiers records the calls and sets how they are sampled. A system prompt of the run takes the place of
    the question's own.
    """
    from openai import AsyncOpenAI, OpenAIError

    run = open_question(data.practice)
    first = [{"role": "system", "content": data.system_prompt}] if data.system_prompt else []
    async with AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0, timeout=None) as client:
        while run.result is None:
            messages = [*first, *(message for message in run.messages if message["role"] != "system")]
            try:
                completion = await client.chat.completions.create(model=model, messages=messages)  # type: ignore[arg-type]
            except OpenAIError as error:
                return f"{type(error).__name__}: {error}"
            choice = completion.choices[0]
            run.enter(read_message(choice.message.model_dump(), choice.finish_reason))
    return ""
