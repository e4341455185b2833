"""Starts the scripted server: `python -m tests.server --help`."""

import asyncio
import signal
import sys

from tests.server.app import ScriptedServer
from tests.server.command_line import parse_options
from tests.server.options import ServerOptions, load_roles
from tests.server.running import listen, make_runner


def main() -> None:
    """Serve until a signal."""
    options = parse_options(sys.argv[1:])
    try:
        asyncio.run(_serve(options))
    except OSError as error:
        sys.exit(f"the server cannot listen on {options.host}:{options.port}, or not log: {error}")


async def _serve(options: ServerOptions) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    runner = make_runner(ScriptedServer(options, load_roles(options.roles)))
    try:
        print(await listen(runner, options), flush=True)
        await stop.wait()
    finally:
        await runner.cleanup()


if __name__ == "__main__":
    main()
