"""Play and grade practice questions: the grader that their lines name."""

from collections.abc import Sequence

from perennial.flows.benchmark import Benchmark, Practice, find_benchmark
from perennial.flows.export.source import Conversation, open_seat
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.game import EpisodeStatus
from perennial.schemas.model_calls import Reply
from perennial.schemas.practice import UNFINISHED, Grade, PracticeQuestion
from perennial.schemas.rows import ReadJson
from perennial.tasks.llm.replies import read_message
from perennial.tasks.play import enter_reply


def find_practice(benchmark: str) -> Practice:
    """How the benchmark draws practice questions; raise InvalidOption if it draws none."""
    installed = find_benchmark(benchmark)
    if not installed.offers(Benchmark.practice):
        raise InvalidOption(f"benchmark {benchmark!r} draws no practice questions: name another --benchmark")
    return installed.practice()


def open_question(question: PracticeQuestion | ReadJson) -> Conversation:
    """Begin a run on a practice question: `messages` to send, `take` for each reply.

    Raises UnreadableInput for what is no line of `perennial sample`.
    """
    read = question if isinstance(question, PracticeQuestion) else PracticeQuestion.from_json(question)
    return open_seat(find_practice(read.benchmark).open_seat(read))


def grade(
    question: PracticeQuestion | ReadJson, replies: str | Sequence[str], ending: EpisodeStatus | None = None
) -> Grade:
    """Grade replies to a practice question by the benchmark's own game.

    `question` is a line of `perennial sample`; `replies` are one reply, or those of a game of several turns
    in order. Reasoning in them is split off first, as for `perennial evaluate`. `ending` says why the last
    one is not read (`truncated`: it was cut off). A game that goes on after the last reply is unfinished,
    with score 0; replies after its end are not read. Raises UnreadableInput for what is no such line.
    """
    texts = [replies] if isinstance(replies, str) else list(replies)
    if not all(isinstance(text, str) for text in texts):
        raise UnreadableInput("replies to a practice question: expected a text, or a list of texts")
    return grade_replies(question, [read_message({"content": text}) for text in texts], ending)


def grade_replies(
    question: PracticeQuestion | ReadJson, replies: Sequence[Reply], ending: EpisodeStatus | None = None
) -> Grade:
    """Like `grade`, for replies that were already read."""
    read = question if isinstance(question, PracticeQuestion) else PracticeQuestion.from_json(question)
    practice = find_practice(read.benchmark)
    game = practice.open_seat(read).start()
    for number, reply in enumerate(replies, start=1):
        if game.result() is not None:
            break
        if ending is not None and number == len(replies):
            game.end(ending)
        else:
            enter_reply(game, reply)
    result = game.result()
    if result is None:
        return Grade(UNFINISHED, False, 0.0)
    return Grade(result.status, result.success, result.score, dict(practice.measure(game)))
