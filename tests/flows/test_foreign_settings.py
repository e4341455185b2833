"""A user's own Prefect profile and settings change no refresh, and no other server hears of it."""

import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from perennial.schemas.variables import cache_folder
from tests.flows.plain_audit import PROGRAM
from tests.flows.prefect_harness import ONE_WORKER, clean_environment

_COMMAND = (
    *("refresh", "--domains", "mineral_identification", "--settings", "4x5", "--instances", "2"),
    *("--players", "algorithm-3", "--edition", "e", "--root", "data"),
)


@pytest.mark.slow
def test_a_cloud_profile_and_no_ephemeral_server_are_done_without(tmp_path: Path) -> None:
    heard: list[str] = []

    class Cloud(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_error(401)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Cloud) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cloud = f"http://127.0.0.1:{server.server_port}/api"
        profile = tmp_path / ".prefect" / "profiles.toml"
        profile.parent.mkdir()
        profile.write_text(
            'active = "cloud"\n\n[profiles.cloud]\n'
            f'PREFECT_API_URL = "{cloud}/accounts/a/workspaces/w"\nPREFECT_API_KEY = "pnu_0"\n'
            'PREFECT_SERVER_EPHEMERAL_ENABLED = "false"\nPREFECT_API_AUTH_STRING = "some:one"\n'
            'PREFECT_TASKS_DEFAULT_RETRIES = "3"\n'
        )
        (tmp_path / "prefect.toml").write_text(
            f'[api]\nurl = "{cloud}"\n[server.ephemeral]\nenabled = false\n'
        )
        # A database that has had Prefect's migrations; they take ten seconds.
        kept = {"XDG_CACHE_HOME": str(cache_folder().parent)}
        done = subprocess.run(
            [*PROGRAM, *_COMMAND],
            cwd=tmp_path,
            env={**clean_environment(), **ONE_WORKER, **kept, "HOME": str(tmp_path), "DO_NOT_TRACK": "1"},
            capture_output=True,
            text=True,
            timeout=500,
        )
        server.shutdown()
    assert done.returncode == 0, done.stderr
    assert heard == []
    assert list((tmp_path / "data").rglob("prefect.db"))
