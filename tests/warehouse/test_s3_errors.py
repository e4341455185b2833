"""What goes wrong with a data root on S3 is reported in one line, without a key in it."""

import http.server
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from s3fs import S3FileSystem

from perennial.schemas.errors import InvalidOption, PerennialError, UnreadableInput
from perennial.warehouse.store.store import Store
from tests.warehouse.s3_server import BUCKET, S3, s3, s3_environment

__all__ = ["s3"]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Ask an S3 root in another environment, and return the error's one line."""

    def ask(**environment: str) -> str:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        S3FileSystem.clear_instance_cache()
        with pytest.raises(PerennialError) as refused:
            Store(f"s3://{BUCKET}/data").names("tables")
        assert refused.value.exit_code == 2
        assert "\n" not in str(refused.value)
        assert os.environ["AWS_SECRET_ACCESS_KEY"] == "" or os.environ["AWS_SECRET_ACCESS_KEY"] not in str(
            refused.value
        )
        return str(refused.value)

    yield ask
    S3FileSystem.clear_instance_cache()


@pytest.mark.slow
def test_a_missing_bucket_is_one_line(s3: S3) -> None:
    store = Store("s3://no-such-bucket/data")
    for ask in (
        lambda: store.names("tables"),
        lambda: store.read_bytes("a"),
        lambda: store.write_bytes("a", b""),
        lambda: store.create_bytes("a", b""),
        lambda: store.replace_bytes("a", b"", b"1"),
    ):
        with pytest.raises(
            InvalidOption, match=r"bucket of the data root 's3://no-such-bucket/data' does not"
        ):
            ask()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "perennial.flows.cli.app", "editions", "list", "--root", store.root],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.fixture
def refusing() -> Iterator[str]:
    """A server that refuses every key."""

    class Refuses(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = (
                b"<Error><Code>InvalidAccessKeyId</Code><Message>That key does not exist.</Message></Error>"
            )
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_PUT = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.slow
def test_refused_credentials_are_one_line_without_them(refusing: str, elsewhere: Callable[..., str]) -> None:
    environment = s3_environment(refusing)
    told = elsewhere(**environment)
    assert f"'s3://{BUCKET}/data' refuses these credentials" in told
    assert environment["AWS_ACCESS_KEY_ID"] not in told


@pytest.mark.slow
def test_absent_credentials_are_one_line(s3: S3, elsewhere: Callable[..., str]) -> None:
    assert "needs credentials" in elsewhere(AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")


def test_a_server_that_is_not_there_is_one_line(s3: S3, elsewhere: Callable[..., str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert "AWS_ENDPOINT_URL" in elsewhere(AWS_ENDPOINT_URL=url, AWS_MAX_ATTEMPTS="1")


@pytest.mark.slow
def test_a_missing_package_is_one_line_that_says_how_to_get_it() -> None:
    program = (
        "import sys\n"
        "sys.modules['s3fs'] = None\n"
        "from perennial.flows.cli.app import main\n"
        "sys.argv = ['perennial', 'editions', 'list', '--root', 's3://bucket/data']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install -e '.[s3]'" in done.stderr


@pytest.mark.parametrize(
    ("root", "told"),
    [
        ("s3://AKIAKEY:hidden@bucket/data", "leave it out"),
        ("nonsense://bucket/data", "expected a folder, or a URL such as s3://bucket/prefix"),
    ],
)
def test_a_root_that_is_none_is_refused(root: str, told: str) -> None:
    with pytest.raises(PerennialError) as refused:
        Store(root).names("tables")
    assert isinstance(refused.value, InvalidOption | UnreadableInput)
    assert told in str(refused.value)
    assert "hidden" not in str(refused.value)
    assert "\n" not in str(refused.value)
