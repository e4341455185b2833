"""What a participant does in a browser, step by step."""

from playwright.sync_api import BrowserContext, Locator, Page, expect


class Visit:
    """One tab of a participant."""

    def __init__(self, context: BrowserContext, url: str, code: str) -> None:
        self.page: Page = context.new_page()
        self.code = code
        self.page.goto(url)

    def enter(self, code: str = "") -> None:
        """Type the code."""
        self.page.get_by_label("Your code").fill(code or self.code)
        self.button("Enter").click()

    def introduce(self) -> None:
        """Enter, agree, and answer the two questions."""
        self.page.bring_to_front()  # a browser draws other tabs once a second
        self.enter()
        self.button("I have read this, and agree").click()
        for label, option in (("Your age", "over 25"), ("The highest level of education", "school")):
            self.page.get_by_label(label).click()
            self.page.get_by_role("option", name=option).click()
        self.button("Continue").click()

    def start(self) -> None:
        """Start the clock of the next task, or the tutorial."""
        self.page.get_by_role("button", name="Start the").click()
        self.choices("truths").first.wait_for()

    def take(self, action: str) -> None:
        """Take an action and wait until its observation is shown."""
        self.choices("actions").get_by_text(action, exact=True).click()
        expect(self.observations.last).to_contain_text(f"{action}")

    def name(self, truth: str) -> None:
        """Name a truth, confirm it, and wait until the task is over."""
        self.choices("truths").get_by_text(truth, exact=True).click()
        self.button("Yes, this is my answer").click()
        expect(self.page.locator(".panel")).to_have_count(0)

    def play(self, truth: str, *actions: str) -> None:
        """Play a task from its start to its answer."""
        self.page.bring_to_front()
        self.start()
        for action in actions:
            self.take(action)
        self.name(truth)

    def button(self, name: str) -> Locator:
        """Return the button of that name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def choices(self, kind: str) -> Locator:
        """Return the buttons of actions or of truths."""
        return self.page.locator(f".{kind} button.choice")

    @property
    def observations(self) -> Locator:
        """The observations that are shown."""
        return self.page.locator(".observations li")

    @property
    def title(self) -> Locator:
        """The title, which names the task."""
        return self.page.locator(".study-title")
