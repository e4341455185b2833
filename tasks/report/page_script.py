"""The script of a report's page: Vega-Embed with its libraries, and the page's own code.

Bundling takes two seconds of CPU, so that the bundle is kept in the user's cache, if there is one.
"""

import os
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile

from perennial.schemas.variables import cache_folder


@lru_cache(maxsize=1)
def load_script() -> str:
    """Return the script as text of one script element."""
    page_script = (files("perennial.tasks.report") / "page.js").read_text(encoding="utf-8")
    # Nothing of it may end the element, and a browser would turn CR into LF, which changes the digest.
    text = _load_bundle(page_script).replace("\r\n", "\n")
    return text.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def _load_bundle(own: str) -> str:
    digest = sha256(own.encode()).hexdigest()[:16]
    # RuntimeError: the user has no home folder, as in some containers.
    with suppress(OSError, RuntimeError):
        kept = cache_folder() / f"report-{version('vl-convert-python')}-{digest}.js"
        if not kept.exists():
            _keep(_bundle(own), kept)
        return kept.read_bytes().decode()
    return _bundle(own)


@lru_cache(maxsize=1)
def _bundle(own: str) -> str:
    from vl_convert import javascript_bundle

    return javascript_bundle(own)


def _keep(text: str, kept: Path) -> None:
    """Write the file whole, or not at all."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=kept.parent, delete=False) as draft:
        try:
            draft.write(text.encode())
            draft.flush()
            os.replace(draft.name, kept)
        except BaseException:
            os.unlink(draft.name)
            raise
