"""What requests carry beside their body and the key: those of models.toml and of the environment.

The protocol's client adds the headers of `OPENAI_CUSTOM_HEADERS` by itself, one `Name: value` a line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"


@dataclass(frozen=True, slots=True, repr=False)
class Extras:
    """Headers and query of each request to a server.

    `of_environment` are headers that the client adds by itself, but not for a model's own server.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    of_environment: Mapping[str, str] = field(default_factory=dict)
    is_own_server: bool = False

    def hidden(self) -> Iterator[str]:
        """Yield what is never stored or shown: values that are more than words, also without their scheme."""
        for value in (*self.headers.values(), *self.query.values(), *self.of_environment.values()):
            if not value.replace(" ", "").replace("-", "").isalpha():
                yield value
                yield value.rpartition(" ")[2]


def environment_headers(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that `OPENAI_CUSTOM_HEADERS` adds, read as the protocol's client reads them."""
    lines = environment.get(_CUSTOM_HEADERS, "").split("\n")
    parts = (line.partition(":") for line in lines if ":" in line)
    return {name.strip(): value.strip() for name, _, value in parts}
