"""Another name of the server in a thread."""

from tests.server.running import running_server as serving

__all__ = ["serving"]
