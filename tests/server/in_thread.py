"""A scripted server in a thread of this process: it starts at once, and ends with the block."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from tests.server.app import ScriptedServer
from tests.server.options import ServerOptions, load_roles
from tests.server.running import ServerControls


@contextmanager
def serving(options: ServerOptions) -> Iterator[ServerControls]:
    """Yield a server that answers on a free port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    application = ScriptedServer(options, load_roles(options.roles)).application()
    runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)

    async def start() -> str:
        await runner.setup()
        await web.TCPSite(runner, options.host, options.port, backlog=1024).start()
        host, port = runner.addresses[0][:2]
        return f"http://{host}:{port}/v1"

    try:
        yield ServerControls(asyncio.run_coroutine_threadsafe(start(), loop).result())
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
