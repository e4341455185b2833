"""A real S3 API server on loopback for the tests: moto's, answering one request after the other.

moto looks at a condition and writes in two steps: without taking turns two conditional writes could both
pass, which S3 itself does not let happen.
"""

import logging
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

BUCKET = "perennial"


@dataclass(frozen=True)
class S3:
    """A running server: `environment` is what a process needs to reach it."""

    environment: dict[str, str]

    def new_root(self) -> str:
        """Return a data root that nothing is in."""
        return f"s3://{BUCKET}/{uuid4().hex}/data"


class _OneAtATime:
    def __init__(self, app: Any) -> None:
        self._app = app
        self._turn = threading.Lock()

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        with self._turn:
            return list(self._app(environ, start_response))


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
    app = _OneAtATime(DomainDispatcherApplication(create_backend_app))
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
        yield S3(environment)
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
