"""What a model call costs."""

from dataclasses import dataclass

# What servers with a Batch API charge for its calls, as a part of their usual prices (OpenAI, Azure, Mistral,
# Groq, Together: half). A server with another discount gets its own prices in an entry of its own.
BATCH_PRICE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Price:
    """Prices of a model in US dollars per million tokens; None: unknown. `cached` None: as `prompt`.

    A call that is answered in a server's batch costs `batch_share` of them.
    """

    prompt: float | None
    completion: float | None
    cached: float | None = None
    batch_share: float = 1.0

    def in_batch(self) -> "Price":
        """Return the prices of calls that are answered in a server's batch."""
        prices = (self.prompt, self.completion, self.cached)
        prompt, completion, cached = (None if one is None else one * self.batch_share for one in prices)
        return Price(prompt, completion, cached)
