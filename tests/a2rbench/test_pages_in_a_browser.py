"""An item's page in headless Chromium: each value is drawn, and a phone's page is no wider than the phone."""

import pytest
from playwright.sync_api import sync_playwright

from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition
from tests.flows.chromium import CHROMIUM
from tests.web.test_server import served

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: no page is opened"),
]
PHONE = 390


def test_values_are_drawn_on_a_phone(unfigured: Store) -> None:
    (copy, *_) = [item for item in made_edition.items() if item.is_remapped and item.dimension == 3]
    # Five examples and the query, of the copy and of its original; the chosen answer and the right one.
    values = 2 * 6 * 2 + 2
    with served("--root", unfigured.root) as (_, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": PHONE, "height": 800})
        page.goto(f"{url}/instances?edition=a1&instance={copy.instance_id}")
        page.get_by_role("heading", name="Episodes", exact=True).last.wait_for(timeout=60_000)
        page.wait_for_function(
            "n => document.querySelectorAll('[data-testid=stVegaLiteChart] canvas, "
            "[data-testid=stVegaLiteChart] svg.marks').length >= n",
            arg=values,
            timeout=60_000,
        )
        assert page.get_by_text("TypeError").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        browser.close()
