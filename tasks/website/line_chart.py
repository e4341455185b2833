"""Success over editions as a drawing that needs no script: where each point of it lies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perennial.tasks.report.wording import with_interval

MOST_SERIES = 8
_TOP, _BOTTOM = 12, 34
_LEFT, _RIGHT = 46, 24
_MOST_LABELS = 5
_MOST_WHISKERS = 16  # editions; beyond, intervals of so many points hide the lines
_DODGE = 3.0  # between the players of an edition, so that their intervals stand side by side


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A rate with its interval (None: undefined) in the edition of this place, from 0."""

    place: int
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def text(self) -> str:
        """The rate with its interval."""
        return with_interval(self.value, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Series:
    """The points of a player, in the order of editions; `color` is a number of the style sheet."""

    name: str
    points: tuple[LinePoint, ...]
    color: int = 0


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart over editions, the oldest first: `labels` are their days, `editions` their names.

    `programs` are the lines `floor` and `heuristic`, where they are known. Lengths are in units of the
    drawing, which is `width` by `height` of them. `is_scaled`: rates are on the common scale.
    """

    title: str
    editions: tuple[str, ...]
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    programs: Mapping[str, Series]
    is_scaled: bool = False
    width: int = 560
    height: int = 280

    @property
    def ends(self) -> tuple[int, int]:
        """Where lines across the drawing begin and end."""
        return _LEFT, self.width - _RIGHT

    @property
    def has_whiskers(self) -> bool:
        """Whether intervals are drawn."""
        return len(self.editions) <= _MOST_WHISKERS

    @property
    def label_places(self) -> Sequence[int]:
        """Editions whose day is written below the axis: a limited number, with the first and the last."""
        last = len(self.editions) - 1
        if last + 1 <= _MOST_LABELS:
            return range(last + 1)
        return sorted({round(number * last / (_MOST_LABELS - 1)) for number in range(_MOST_LABELS)})

    def anchor(self, index: int) -> str:
        """Which end of a label stands at the edition's point: labels near the border turn inward."""
        return "start" if index == 0 else "end" if index == len(self.editions) - 1 else "middle"

    def x(self, index: int, number: int | None = None) -> str:
        """The horizontal position of an edition, players side by side."""
        left, right = self.ends
        shift = 0.0
        if number is not None and self.has_whiskers:
            shift = _DODGE * (number - (len(self.series) - 1) / 2)
        return f"{left + (right - left) * index / max(len(self.editions) - 1, 1) + shift:.1f}"

    def y(self, value: float) -> str:
        """The vertical position of a rate."""
        return f"{_TOP + (self.height - _TOP - _BOTTOM) * (1 - min(max(value, 0.0), 1.0)):.1f}"

    def path(self, series: Series, number: int | None = None) -> str:
        """The points of a line, in the syntax of SVG."""
        return " ".join(f"{self.x(point.place, number)},{self.y(point.value)}" for point in series.points)
