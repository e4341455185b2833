"""A real S3 API server on loopback for the tests: moto's, answering one request after the other.

moto looks at a condition and writes in two steps: without taking turns two conditional writes could both
pass, which S3 itself does not let happen.
"""

import logging
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

BUCKET = "perennial"


@dataclass
class Conditions:
    """The headers of conditional writes, such as "If-Match", that the server does not keep.

    It writes as if the `ignored` ones were absent, and answers 501 to a request with one of `not_offered`.
    `requests` are the methods and paths of all requests.
    """

    ignored: tuple[str, ...] = ()
    not_offered: tuple[str, ...] = ()
    requests: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class S3:
    """A running server: `environment` is what a process needs to reach it."""

    environment: dict[str, str]
    conditions: Conditions

    @property
    def host(self) -> str:
        """Host and port."""
        return self.environment["AWS_ENDPOINT_URL"].removeprefix("http://")

    def new_root(self) -> str:
        """Return a data root that nothing is in."""
        return f"s3://{BUCKET}/{uuid4().hex}/data"


class _OneAtATime:
    def __init__(self, app: Any, conditions: Conditions) -> None:
        self._app = app
        self._conditions = conditions
        self._turn = threading.Lock()

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        with self._turn:
            self._conditions.requests.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
            if environ["REQUEST_METHOD"] in ("PUT", "DELETE"):
                if any(_variable(header) in environ for header in self._conditions.not_offered):
                    return _answer_not_implemented(environ, start_response)
                for header in self._conditions.ignored:
                    environ.pop(_variable(header), None)
            return list(self._app(environ, start_response))


def _variable(header: str) -> str:
    return f"HTTP_{header.upper().replace('-', '_')}"


def _answer_not_implemented(environ: Any, start_response: Any) -> Iterable[bytes]:
    environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    body = b"<Error><Code>NotImplemented</Code><Message>A header is not implemented.</Message></Error>"
    start_response("501 Not Implemented", [("Content-Length", str(len(body)))])
    return [body]


@contextmanager
def running_s3() -> Iterator[S3]:
    """Run the server, with an empty bucket, and let this process reach it."""
    from moto.moto_server.werkzeug_app import (
        DomainDispatcherApplication,
        MotoRequestHandler,
        create_backend_app,
    )
    from s3fs import S3FileSystem
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    conditions = Conditions()
    app = _OneAtATime(DomainDispatcherApplication(create_backend_app), conditions)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    environment = s3_environment(f"http://127.0.0.1:{server.server_port}")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        # An instance from before would still ask another server.
        S3FileSystem.clear_instance_cache()
        # moto keeps its buckets as long as the process lives.
        S3FileSystem().makedirs(BUCKET, exist_ok=True)
        yield S3(environment, conditions)
        S3FileSystem.clear_instance_cache()
    server.shutdown()
    thread.join()


def s3_environment(url: str) -> dict[str, str]:
    """Return the AWS_* variables for a server at this URL."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "AKIATEST0123456789AB",
        "AWS_SECRET_ACCESS_KEY": "secret-of-the-tests",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    """A server for the tests of one module."""
    with running_s3() as server:
        yield server


@pytest.fixture
def conditions(s3: S3) -> Iterator[Conditions]:
    """What the server does not keep during one test: nothing, until the test says otherwise."""
    yield s3.conditions
    s3.conditions.ignored = s3.conditions.not_offered = ()
