"""Fifty participants play a study at once, through the server's own websockets: how fast, and is a move lost.

    python -m tests.benchmarks.study_load [--people 50] [--think 2] [--browser]
        [--study FILE --root ROOT --codes FILE]

Each thinks up to twice `--think` seconds before a click. The time of a click goes from the message that a
browser would send to the message with the observation. Afterwards the ledger must hold each acknowledged move
exactly once, and no other. With `--browser` one more plays in headless Chromium, timed from the click to the
observation's drawing.
"""

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from perennial.flows.study.study_file import read_study
from perennial.warehouse.store.store import Store
from perennial.warehouse.study.ledger import StudyLedger, study_file
from tests.flows.chromium import CHROMIUM
from tests.study.site import BOOK, StudySite, make_study
from tests.study.visits import Visit

Move = tuple[str, int, str]
_LONG_BOOK = BOOK + "\n\nAn outcome of *grey* says nothing of **rain** or of **snow**." * 200
_CLICK = """
async () => {
  const host = [...document.querySelectorAll("*")].find((one) => one.shadowRoot?.querySelector(".panel"));
  const root = host.shadowRoot;
  const shown = () => root.querySelectorAll(".observations li").length;
  const before = shown();
  const started = performance.now();
  root.querySelector(".actions button:enabled").click();
  while (shown() === before) await new Promise(requestAnimationFrame);
  return performance.now() - started;
}
"""


class Browser:
    """What a browser says to Streamlit's server, and the parts of the page that it was sent."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._kept: dict[str, WidgetState] = {}
        self._messages: dict[str, ForwardMsg] = {}
        self.elements: list[tuple[Any, str]] = []

    async def run(self, fragment: str = "", *clicked: WidgetState) -> float:
        """Let the script run with what was clicked; return the seconds until the last part came."""
        message = BackMsg()
        message.rerun_script.fragment_id = fragment
        message.rerun_script.widget_states.widgets.extend([*self._kept.values(), *clicked])
        sent = last = time.perf_counter()
        await self._connection.send(message.SerializeToString())
        self.elements = []
        while True:
            received = ForwardMsg.FromString(await self._receive())
            if received.WhichOneof("type") == "ref_hash":
                received = self._messages[received.ref_hash]
            self._messages[received.hash] = received
            match received.WhichOneof("type"):
                case "new_session" if not fragment:
                    self.elements = []
                case "delta" if received.delta.WhichOneof("type") == "new_element":
                    self.elements.append((received.delta.new_element, received.delta.fragment_id))
                    last = time.perf_counter()
                case "script_finished" if received.script_finished in (
                    ForwardMsg.FINISHED_SUCCESSFULLY,
                    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
                ):
                    return last - sent
                case "script_finished":
                    fragment = ""  # the whole page follows

    async def _receive(self) -> bytes:
        received = await self._connection.recv()
        assert isinstance(received, bytes)
        return received

    def find(self, kind: str, label: str = "") -> tuple[Any, str] | None:
        """Return the last element of that kind whose label begins so, and its fragment."""
        for element, fragment in reversed(self.elements):
            if element.WhichOneof("type") == kind and getattr(
                found := getattr(element, kind), "label", ""
            ).startswith(label):
                return found, fragment
        return None

    async def press(self, label: str) -> None:
        """Press a button."""
        found = self.find("button", label)
        assert found is not None, (label, self.elements)
        await self.run("", WidgetState(id=found[0].id, trigger_value=True))

    async def write(self, kind: str, label: str, text: str) -> None:
        """Fill in a field, or choose an option."""
        found = self.find(kind, label)
        assert found is not None, (label, self.elements)
        self._kept[found[0].id] = WidgetState(id=found[0].id, string_value=text)

    @property
    def panel(self) -> tuple[dict[str, Any], str, str] | None:
        """The panel's data, its id and its fragment, where a task's clock runs."""
        found = self.find("bidi_component")
        if found is None:
            return None
        component, fragment = found
        return json.loads(component.json or component.mixed.json), component.id, fragment

    async def click(self, name: str) -> float:
        """Choose an action or a truth."""
        assert self.panel is not None
        data, id_, fragment = self.panel
        value = {"task": data["task"], "turn": data["turn"], "name": name}
        trigger = json.dumps([{"event": "move", "value": value}])
        state = WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{id_}__events", json_trigger_value=trigger)
        return await self.run(fragment, state)


async def play(
    url: str, code: str, bands: tuple[str, str], think: float, seed: int
) -> tuple[list[Move], list[float]]:
    """Play the whole study; return the moves that were acknowledged, and the seconds of each action."""
    rng = random.Random(seed)
    moves: list[Move] = []
    seconds: list[float] = []

    async def wait() -> None:
        await asyncio.sleep(rng.uniform(0, 2 * think))

    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    async with connect(address, subprotocols=["streamlit"], max_size=None) as connection:  # type: ignore[list-item]
        browser = Browser(connection)
        await wait()
        await browser.run()
        await browser.write("text_input", "Your code", code)
        await browser.press("Enter")
        await wait()
        await browser.press("I have read")
        for label, band in zip(("Your age", "The highest"), bands, strict=True):
            await browser.write("selectbox", label, band)
        await browser.run()
        await browser.press("Continue")
        while browser.find("button", "Start the") is not None:
            await wait()
            await browser.press("Start the")
            while (shown := browser.panel) is not None:
                data = shown[0]
                free = [action["name"] for action in data["actions"] if not action["used"]]
                await wait()
                name = (
                    rng.choice(free) if free and len(data["observations"]) < 4 else rng.choice(data["truths"])
                )
                took = await browser.click(name)
                if browser.panel is not None:
                    seconds.append(took)
                    assert browser.panel[0]["turn"] == data["turn"] + 1, browser.panel[0]["notice"]
                moves.append((data["task"], data["turn"], name))
    return moves, seconds


def play_in_chromium(url: str, code: str, bands: tuple[str, str], times: list[float]) -> None:
    """Play in headless Chromium, and note the milliseconds from each click to the observation."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context()
        context.set_default_timeout(120_000)
        tab = Visit(context, url, code)
        tab.introduce(*bands)
        start = tab.page.get_by_role("button", name="Start the")
        start.wait_for()
        while start.count():
            tab.start()
            while len(tab.choices("actions").all()) > (taken := tab.observations.count()) and taken < 4:
                times.append(tab.page.evaluate(_CLICK))
            tab.name(tab.choices("truths").first.inner_text())
            start.or_(tab.page.locator(".study-earnings")).first.wait_for()
        browser.close()


async def play_all(
    url: str, codes: Sequence[str], bands: tuple[str, str], think: float
) -> list[tuple[list[Move], list[float]]]:
    """Let all of them play at once."""
    return await asyncio.gather(*(play(url, code, bands, think, seed) for seed, code in enumerate(codes)))


def stored_moves(site: StudySite, name: str, code: str) -> list[Move]:
    """Return what the ledger holds of a participant."""
    ledger = StudyLedger(study_file(site.store, name))
    found = ledger.find_participant(code.split("-")[0])
    assert found is not None
    events = ledger.events(found.number)
    ledger.close()
    return [(event.task, event.turn, event.value) for event in events if event.kind == "move"]


def describe(values: Sequence[float]) -> str:
    """Return median, 95% and largest in milliseconds."""
    if len(values) < 2:
        return "none"
    late = statistics.quantiles(values, n=20)[-1]
    return f"median {statistics.median(values):.0f} ms, 95% {late:.0f} ms, most {max(values):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--think", type=float, default=2.0)
    parser.add_argument("--study", type=Path)
    parser.add_argument("--root")
    parser.add_argument("--codes", type=Path)
    parser.add_argument("--browser", action="store_true")
    given = parser.parse_args()
    if given.study is None:
        folder = Path(tempfile.mkdtemp())
        site = make_study(folder, book=_LONG_BOOK, tasks=6, participants=given.people + 1)
    else:
        site = StudySite(given.study, Store(given.root), given.codes.read_text(encoding="utf-8").split())
    study = read_study(site.file)
    bands = (study.age_bands[-1], study.education[0])
    site.start()
    drawn: list[float] = []
    try:
        started = time.perf_counter()
        page = threading.Thread(
            target=play_in_chromium, args=(site.url, site.codes[given.people], bands, drawn)
        )
        if given.browser:
            page.start()
        played = asyncio.run(play_all(site.url, site.codes[: given.people], bands, given.think))
        took = time.perf_counter() - started
        with suppress(RuntimeError):
            page.join()
    finally:
        site.end()
    seconds = [1000 * one for _, times in played for one in times]
    acknowledged = [moves for moves, _ in played]
    lost = [
        (code, moves)
        for code, moves in zip(site.codes, acknowledged, strict=False)
        if stored_moves(site, study.name, code) != moves
    ]
    print(f"{given.people} participants, {sum(map(len, acknowledged)):,} moves acknowledged in {took:.0f} s")
    print(f"moves of the ledger differ for {len(lost)} participants")
    print(f"click to observation, websocket: {describe(seconds)} of {len(seconds):,}")
    if given.browser:
        print(f"click to observation, Chromium:  {describe(drawn)} of {len(drawn):,}")
    assert not lost, lost


if __name__ == "__main__":
    main()
