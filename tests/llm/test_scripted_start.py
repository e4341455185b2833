import asyncio
import os
import signal
import subprocess
import sys

import aiohttp
import pytest

from tests.llm.scripted_asking import ECHO, KEY, body_of
from tests.server.command_line import parse_options, to_argv
from tests.server.faults import EXTRA_FAULTS, SUBSTANCE_FAULTS, TRANSPORT_FAULTS
from tests.server.options import ServerOptions
from tests.server.running import REPOSITORY, running_server

pytestmark = pytest.mark.slow


def test_help_lists_every_fault_and_gives_an_example():
    command = [sys.executable, "-m", "tests.server", "--roles", ECHO, "--help"]
    help_text = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    for name in (*TRANSPORT_FAULTS, *SUBSTANCE_FAULTS, *EXTRA_FAULTS, "echo.shouted", "echo.backwards"):
        assert f"\n  {name}" in help_text
    assert "python -m tests.server --port 8399" in help_text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--fault", "echo.whispered=0.1"], "there is no fault 'echo.whispered'"),
        (["--fault", "500=1.5"], "the rate of '500' is 1.5"),
        (["--fault", "500=nan"], "the rate of '500' is nan"),
        (["--fault", "500"], "'500' is no NAME=RATE"),
        (["--faults", "-1"], "the rate of 'faults' is -1.0"),
        (["--latency", "-1"], "latency_s is -1.0"),
        (["--hold-after", "-1"], "hold_after is -1"),
    ],
)
def test_options_that_make_no_sense_are_told(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit, match="2"):
        parse_options(["--roles", ECHO, *arguments])
    assert told in capsys.readouterr().err.splitlines()[-1]


def test_a_command_line_gives_back_its_options():
    options = ServerOptions(
        host="localhost",
        port=8399,
        seed=-7,
        latency_s=0.25,
        models=("a", "b-perfect"),
        keys=(KEY, "sk-2"),
        faults={"429": 0.05, "echo.shouted": 1e-05},
        all_faults=0.02,
        max_transport_faults=0,
        retry_after_s=1.5,
        slow_s=9.0,
        refuse=("response_format",),
        log="a file",
        hold_after=0,
        roles=ECHO,
        die_with_parent=True,
    )
    assert parse_options(to_argv(options)) == options
    assert parse_options(to_argv(ServerOptions(roles=ECHO))) == ServerOptions(roles=ECHO)


def test_a_server_that_does_not_start_says_why():
    with (
        pytest.raises(RuntimeError, match="no fault 'nothing'"),
        running_server(ServerOptions(roles=ECHO, faults={"nothing": 1.0})),
    ):
        pass
    with running_server(ServerOptions(roles=ECHO)) as server:
        port = int(server.url.split(":")[2].split("/")[0])
        with (
            pytest.raises(RuntimeError, match="cannot listen"),
            running_server(ServerOptions(roles=ECHO, port=port)),
        ):
            pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_even_while_it_holds(number: signal.Signals):
    async def main(url: str):
        async with aiohttp.ClientSession() as session:
            asked = asyncio.create_task(session.post(f"{url}/chat/completions", json=body_of("a")))
            await asyncio.sleep(0.2)
            process.send_signal(number)
            with pytest.raises(aiohttp.ClientError):
                await asked

    process = start("--hold-after=0")
    asyncio.run(main(process.stdout.readline().strip()))
    assert process.wait(timeout=10) == 0
    assert process.stderr.read() == ""
    close(process)


def test_it_dies_with_its_parent_when_asked_to():
    process = start("--die-with-parent", "--hold-after=0")
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    process.stdin.close()
    assert process.wait(timeout=10) == 0
    close(process)


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.server", "--roles", ECHO, *arguments],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


def close(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
