"""Starts the scripted server: `python -m tests.server --help`."""

import asyncio
import os
import signal
import sys
import threading

from aiohttp import web

from tests.server.app import ScriptedServer
from tests.server.command_line import parse_options
from tests.server.options import ServerOptions, load_roles

_BACKLOG = 1024
_SHUTDOWN_S = 0.2


def main() -> None:
    """Serve until a signal, or the end of standard input where that is asked for."""
    options = parse_options(sys.argv[1:])
    if options.die_with_parent:
        threading.Thread(target=_leave_with_parent, daemon=True).start()
    try:
        asyncio.run(_serve(options))
    except OSError as error:
        sys.exit(f"the server cannot listen on {options.host}:{options.port}, or not log: {error}")


async def _serve(options: ServerOptions) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = ScriptedServer(options, load_roles(options.roles))
    runner = web.AppRunner(
        server.application(),
        access_log=None,
        # A client that goes away cancels its handler: so the log learns of it.
        handler_cancellation=True,
        shutdown_timeout=_SHUTDOWN_S,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, options.host, options.port, backlog=_BACKLOG).start()
        host, port = runner.addresses[0][:2]
        print(f"http://{host}:{port}/v1", flush=True)
        await stop.wait()
    finally:
        await runner.cleanup()


def _leave_with_parent() -> None:
    # Not by `sys.stdin`: a thread inside its buffer's lock makes the interpreter abort when it ends.
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
