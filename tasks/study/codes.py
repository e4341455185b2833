"""Codes of participants: a public part, which becomes the player's name, and a secret part.

Only a hash of the secret part is kept, so that a published name is no login.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from random import Random

from perennial.schemas.errors import InvalidOption

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
