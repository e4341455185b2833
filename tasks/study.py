"""What a study computes: assignment and codes."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from perennial.schemas.errors import InvalidOption
from perennial.schemas.ids import derive_rng

# Which instances a participant gets: from the study's seed and the participant's number alone.
#
# Each participant gets as many tasks of each setting, and domains as evenly as their number allows. The tasks
# of a setting rotate through the domains, and through the instances of a domain in an order drawn once:
# after any number of participants the uses of two domains of a setting, or of two instances of a domain,
# differ by at most one.


Cell = tuple[str, str]  # setting and domain


def assign(
    pool: Mapping[Cell, Sequence[str]],
    settings: Sequence[str],
    domains: Sequence[str],
    tasks: int,
    seed: int,
    participant: int,
) -> tuple[str, ...]:
    """Return the instances of a participant, numbered from 0, in the order in which they are played.

    `pool` are the ids of each setting's and domain's instances, in any order.
    """
    share = tasks // len(settings)
    chosen = []
    for number, setting in enumerate(settings):
        for task in range(share):
            # The next setting begins where this one ends, so that a participant meets all domains evenly.
            turn, domain = divmod((participant + number) * share + task, len(domains))
            ids = _draw_order(pool[setting, domains[domain]], seed, setting, domains[domain])
            chosen.append(ids[turn % len(ids)])
    derive_rng(seed, "study/order", participant).shuffle(chosen)
    return tuple(chosen)


def choose_tutorial(pool: Mapping[Cell, Sequence[str]], cell: Cell, seed: int) -> str:
    """Return an instance of the cell for the tutorial."""
    return derive_rng(seed, "study/tutorial", 0).choice(sorted(pool[cell]))


def require_enough(
    pool: Mapping[Cell, Sequence[str]], settings: Sequence[str], domains: Sequence[str], tasks: int
) -> None:
    """Raise InvalidOption where somebody would get the same instance twice."""
    needed = -(-(tasks // len(settings)) // len(domains))
    for setting in settings:
        for domain in domains:
            count = len(pool.get((setting, domain), ()))
            if count < needed:
                raise InvalidOption(
                    f"domain {domain!r} has {count} instances of setting {setting!r} beside the tutorial's, "
                    f"expected at least {needed} for {tasks} tasks per participant: name other domains or "
                    "settings, or fewer tasks"
                )


def _draw_order(ids: Sequence[str], seed: int, setting: str, domain: str) -> list[str]:
    order = sorted(ids)
    derive_rng(seed, f"study/instances/{setting}/{domain}", 0).shuffle(order)
    return order


# Codes of participants: a public part, which becomes the player's name, and a secret part.
#
# Only a hash of the secret part is kept, so that a published name is no login.


# No I, L, O and U: they are mistaken for digits, or spell words.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
PUBLIC_LETTERS = 6  # 30 bits: a name, not a secret
SECRET_LETTERS = 16  # 80 bits
_GROUP = 4
_READ_AS = str.maketrans({"i": "1", "l": "1", "o": "0"})
_LONGEST = 200


@dataclass(frozen=True, slots=True, repr=False)
class Code:
    """A participant's code, in its two parts; it is not printed by accident."""

    public: str
    secret: str

    def __str__(self) -> str:
        groups = (self.secret[at : at + _GROUP] for at in range(0, SECRET_LETTERS, _GROUP))
        return "-".join((self.public, *groups))

    def __repr__(self) -> str:
        return f"Code({self.public}-...)"

    def hash_secret(self, study: str) -> str:
        """Return the hash of the secret part that a study's ledger keeps."""
        text = f"{study}/{self.public}/{self.secret}"
        return hashlib.blake2b(text.encode(), digest_size=32, person=b"perennial study").hexdigest()

    def fits(self, study: str, kept: str) -> bool:
        """Whether the kept hash is of this code, in a time that says nothing of it."""
        return hmac.compare_digest(self.hash_secret(study), kept)


def draw_code(rng: Random) -> Code:
    """Return a code; `rng` is the operating system's (`secrets.SystemRandom`)."""
    letters = "".join(rng.choice(_ALPHABET) for _ in range(PUBLIC_LETTERS + SECRET_LETTERS))
    return Code(letters[:PUBLIC_LETTERS], letters[PUBLIC_LETTERS:])


def parse_code(text: str) -> Code:
    """Return the code that somebody typed, in any case, with or without dashes and spaces.

    Raises InvalidOption for anything but a code, without quoting it: it may be somebody's, mistyped.
    """
    letters = _letters_of(text)
    if len(letters) != PUBLIC_LETTERS + SECRET_LETTERS or not set(letters) <= set(_ALPHABET):
        raise InvalidOption(
            f"that is not a participant's code: expected {PUBLIC_LETTERS + SECRET_LETTERS} letters and "
            "digits as you were given them; check it, or ask those who run the study"
        )
    return Code(letters[:PUBLIC_LETTERS], letters[PUBLIC_LETTERS:])


def parse_public(text: str) -> str:
    """Return the public part of a code, of the whole code or of a player's name; raise InvalidOption."""
    letters = _letters_of(text.removeprefix("human:"))
    if len(letters) == PUBLIC_LETTERS and set(letters) <= set(_ALPHABET):
        return letters
    return parse_code(letters).public


def _letters_of(text: str) -> str:
    return re.sub(r"[\s-]+", "", text[:_LONGEST]).lower().translate(_READ_AS)
