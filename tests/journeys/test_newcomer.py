"""A newcomer has a model and ten minutes: README's first screen, a first score, the page behind it."""

import re

from tests.journeys.walking import TERMINAL_WIDTH, Walk
from tests.server.running import RunningServer


def test_a_newcomer_gets_a_score_and_opens_its_page(walk: Walk, server: RunningServer) -> None:
    score = walk.type(f"perennial try basalt-large-2026-10 --base-url {server.url}")

    summary = score.result[score.result.index("basalt-large-2026-10 on kumo") :]
    assert max(map(len, summary.splitlines())) <= TERMINAL_WIDTH
    # A rate with its interval, between what guessing gives and what is possible.
    assert re.search(r"^easy +0 of 7 +\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\] +0\.\d{3} +1\.000$", summary, re.M)
    # What went wrong is shown by an example, and the example can be opened.
    assert re.search(r"^unparsed +7 of 7$", summary, re.M)
    assert "I cannot say." in summary
    opened = re.search(r"perennial episode \S+", summary)
    assert opened
    assert "I cannot say." in walk.type(opened[0]).result

    # The commands that it proposes work, with the entry to add; what would grow is only planned.
    assert 'add ["basalt-large-2026-10-2"] to models.toml' in " ".join(summary.split())
    entry = '["basalt-large-2026-10-2"]\nmodel = "basalt-large-2026-10"\nmax_output = 3000\n'
    (walk.folder / "models.toml").write_text(entry, "utf-8")
    for command in re.findall(r"perennial (?:\\\n|.)+", summary[summary.index("next:") :]):
        if command.startswith("perennial refresh"):
            walk.type(f"{command} --dry-run")
        elif not command.startswith("perennial try"):
            walk.type(command)

    written = walk.type("perennial report")
    (page,) = walk.folder.glob("reports/*.html")
    assert page.name in written.result
    html = page.read_text(encoding="utf-8")
    assert "basalt-large-2026-10" in html
    assert "0." in html


def test_a_newcomer_without_a_server_is_told_what_to_do(walk: Walk) -> None:
    refused = walk.type("perennial try corvid-mini --base-url http://127.0.0.1:9/v1", expecting=6)
    assert refused.beside.count("\n") == 1
    assert "no server answers at http://127.0.0.1:9/v1" in refused.beside
