"""Throughput and CPU time of models that play, beside the bare openai client on the same requests.

Run by hand: `python -m tests.benchmarks.playing [--episodes 2000] [--in-flight 64] [--latency 0.1]
[--rounds 2]`. Episodes on easy instances of the bundled domains are played against the scripted server,
through our client and with the real ledger on disk; the bare client sends exactly the same requests, as it
comes. Each measurement has a process, a server and a ledger of its own and counts from its first call,
imports and instances being ready; the order is ours, bare, bare, ours and so on, so that neither profits from
what the machine does meanwhile. CPU seconds are those of the client's process with all its threads.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from time import perf_counter, process_time

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Setting
from perennial.schemas.model_calls import CallPolicy, Message, ModelRequest, Reply
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.game import VARIANTS, Board, KumoGame
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.tasks.play import NewGame, parse_model_player, play_all
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text
from tests.server.options import ServerOptions
from tests.server.roles.player import SCRIPT
from tests.server.running import running_server
from tests.server.script import Asked

MODEL = "scripted"
RUNS = 5
KEY = "sk-benchmark"
LEAST_SHARE = 0.9
MOST_CPU = 1.5


@dataclass(frozen=True)
class Figures:
    """One measurement: calls, wall-clock and CPU seconds."""

    calls: int
    seconds: float
    cpu: float

    @property
    def rate(self) -> float:
        return self.calls / self.seconds

    @property
    def cpu_ms(self) -> float:
        return self.cpu / self.calls * 1e3


def main(arguments: argparse.Namespace) -> None:
    ceiling = arguments.in_flight / arguments.latency if arguments.latency else float("inf")
    print(
        f"{arguments.episodes} episodes, {arguments.in_flight} in flight, {arguments.latency} s per reply: "
        f"at most {ceiling:,.0f} calls per second"
    )
    measured: dict[str, list[Figures]] = {"ours": [], "bare": []}
    for number in range(arguments.rounds):
        for part in ("ours", "bare") if number % 2 == 0 else ("bare", "ours"):
            figures = measure_apart(part, arguments)
            measured[part].append(figures)
            print(
                f"{part}: {figures.calls} calls in {figures.seconds:.1f} s, {figures.rate:.0f} a second, "
                f"CPU {figures.cpu_ms:.2f} ms per call",
                flush=True,
            )
    report(measured["ours"], measured["bare"], ceiling)


def report(ours: list[Figures], bare: list[Figures], ceiling: float) -> None:
    rates = [mean(figures.rate for figures in part) for part in (ours, bare)]
    cpu = [mean(figures.cpu_ms for figures in part) for part in (ours, bare)]
    share, ratio = rates[0] / min(ceiling, rates[1]), cpu[0] / cpu[1]
    print(
        f"Calls a second: ours {rates[0]:.0f}, bare {rates[1]:.0f}; "
        f"share of the lesser of {ceiling:,.0f} and the bare client's: {share:.0%} "
        f"(at least {LEAST_SHARE:.0%}: {verdict(share >= LEAST_SHARE)})"
    )
    print(
        f"CPU per call: ours {cpu[0]:.2f} ms, bare {cpu[1]:.2f} ms; "
        f"ratio {ratio:.2f} (at most {MOST_CPU}: {verdict(ratio <= MOST_CPU)})"
    )


def verdict(reached: bool) -> str:
    return "reached" if reached else "MISSED"


def measure_apart(part: str, arguments: argparse.Namespace) -> Figures:
    """Return the figures of one part, measured in a process of its own against a server of its own."""
    options = ServerOptions(latency_s=arguments.latency, models=(MODEL,), keys=(KEY,))
    with running_server(options) as server:
        command = [sys.executable, "-m", "tests.benchmarks.playing", f"--part={part}", f"--url={server.url}"]
        command += [f"--episodes={arguments.episodes}", f"--in-flight={arguments.in_flight}"]
        command += ["--profile"] if arguments.profile else []
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        *profile, last = done.stdout.splitlines()
        if profile:
            print(*profile, sep="\n")
        figures = Figures(**json.loads(last))
        assert server.status().answered == figures.calls
    return figures


def boards(episodes: int) -> list[Board]:
    """Easy instances of all bundled domains, as many as give so many episodes with 5 runs each."""
    names = list(bundled_domains())
    each = -(-episodes // (RUNS * len(names)))
    found = []
    for name in names:
        encoded = encode_config(parse_config(bundled_text(name), name))
        request = SamplingRequest(Setting.parse("easy"), each, seed=1)
        for instance in sample_instances(encoded, request).instances:
            rules = rules_of(encoded, instance)
            book = write_book(encoded.config, instance, rules, random.Random(instance.index))
            found.append(Board(encoded.config, instance, encode_instance(encoded, instance), book, rules))
    return found[: -(-episodes // RUNS)]


def games(played: list[Board]) -> list[NewGame]:
    return [partial(KumoGame, board) for board in played]


async def play_through_client(url: str, in_flight: int, played: list[Board]) -> Figures:
    from perennial.tasks.llm.client import ModelClient
    from perennial.warehouse.ledger.ledger import CallLedger

    player = parse_model_player(MODEL, {}, VARIANTS)
    policy = CallPolicy(url, concurrency=in_flight)
    with tempfile.TemporaryDirectory() as folder:
        begun, cpu = perf_counter(), process_time()
        with CallLedger(Path(folder) / "ledger.sqlite", "benchmark", url) as ledger:
            async with ModelClient(policy, KEY, ledger, {}, ledger.sum_spending()) as client:
                # Twice as many episodes as calls, as a refresh has: some wait for their reply to be stored.
                episodes = await play_all(client.ask, player, games(played), range(RUNS), 2 * in_flight)
        seconds, cpu = perf_counter() - begun, process_time() - cpu
    assert {episode.status for episode in episodes} == {"solved"}
    return Figures(sum(len(episode.turns) for episode in episodes), seconds, cpu)


async def send_through_bare_client(url: str, in_flight: int, played: list[Board]) -> Figures:
    from openai import AsyncOpenAI

    conversations = await same_conversations(played)
    begun, cpu = perf_counter(), process_time()
    async with AsyncOpenAI(base_url=url, api_key=KEY) as client:

        async def work() -> int:
            calls = 0
            for messages in conversations:
                completion = await client.chat.completions.create(model=MODEL, messages=messages)
                assert completion.choices[0].message.content
                calls += 1
            return calls

        calls = sum(await asyncio.gather(*(work() for _ in range(in_flight))))
    return Figures(calls, perf_counter() - begun, process_time() - cpu)


async def same_conversations(played: list[Board]) -> Iterator[list[Message]]:
    """Return the messages of each call that the episodes make: the script, asked without a server, tells."""
    asked: list[tuple[Message, ...]] = []

    async def ask(request: ModelRequest) -> Reply:
        asked.append(request.messages)
        said = SCRIPT.reply(Asked(MODEL, request.messages, {}), None, derive_rng(0, "benchmark", 0))
        return Reply(request.call_id, "ok", said)

    await play_all(ask, parse_model_player(MODEL, {}, VARIANTS), games(played), range(RUNS), concurrency=1)
    return (list(messages) for messages in asked)


PARTS = {"ours": play_through_client, "bare": send_through_bare_client}


def measure(arguments: argparse.Namespace) -> Figures:
    import openai  # noqa: F401 - both import it before the clock starts

    played = boards(arguments.episodes)
    return asyncio.run(PARTS[arguments.part](arguments.url, arguments.in_flight, played))


def profile_part(arguments: argparse.Namespace) -> Figures:
    import cProfile
    import pstats

    profile = cProfile.Profile()
    figures = profile.runcall(measure, arguments)
    pstats.Stats(profile, stream=sys.stdout).sort_stats("tottime").print_stats(40)
    return figures


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.playing")
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument(
        "--latency", type=float, default=0.1, help="seconds that the server takes for a reply"
    )
    parser.add_argument("--rounds", type=int, default=2, help="measurements of each of the two")
    parser.add_argument("--profile", action="store_true", help="print where the time goes (slows both down)")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    given = parse_arguments()
    if given.part is None:
        main(given)
    else:
        print(json.dumps(asdict((profile_part if given.profile else measure)(given))))
