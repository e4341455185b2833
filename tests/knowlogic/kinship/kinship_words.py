"""Mandarin kinship words from a family graph, by rules of their own: no path and no table of the project.

Everything is said with fathers, mothers, spouses, siblings, sexes and years of birth. Words are those of the
table where several are in use; relations that the table has no word for get none.
"""

from collections.abc import Iterator

from perennial.tasks.knowlogic.kinship.models import BornFamily
from perennial.tasks.knowlogic.kinship.terms import BIRTH, OWN

_SPOUSES = {
    "伯父": "伯母",
    "叔父": "婶母",
    "姑母": "姑父",
    "舅父": "舅母",
    "姨母": "姨父",
    "哥哥": "嫂子",
    "弟弟": "弟媳",
    "姐姐": "姐夫",
    "妹妹": "妹夫",
    "儿子": "儿媳",
    "女儿": "女婿",
    "孙子": "孙媳妇",
    "孙女": "孙女婿",
    "外孙": "外孙媳妇",
    "外孙女": "外孙女婿",
    "侄子": "侄媳妇",
    "侄女": "侄女婿",
    "外甥": "外甥媳妇",
    "外甥女": "外甥女婿",
    "哥": "嫂",
    "弟": "弟媳",
    "姐": "姐夫",
    "妹": "妹夫",
}
_GREAT = {"伯父": "伯{}祖父", "叔父": "叔{}祖父", "姑母": "姑{}祖母", "舅父": "舅{}祖父", "姨母": "姨{}祖母"}


class Words:
    """The words for everybody of a family."""

    def __init__(self, born: BornFamily) -> None:
        family = born.family
        self.people = range(family.size)
        self.male = [sex == "m" for sex in family.sexes]
        self.births = born.births
        home = [family.ends[2 * x + BIRTH] for x in self.people]
        own = [family.ends[2 * x + OWN] for x in self.people]
        self.parents = {x: [y for y in self.people if own[y] == home[x]] for x in self.people}
        self.children = {x: [y for y in self.people if home[y] == own[x]] for x in self.people}
        self.siblings = {x: [y for y in self.people if y != x and home[y] == home[x]] for x in self.people}
        self.spouses = {x: [y for y in self.people if y != x and own[y] == own[x]] for x in self.people}

    def words(self, of: int) -> dict[int, str]:
        """Return what each other person is to somebody."""
        found: dict[int, str] = {}
        for y, word in self._all(of):
            if y != of:
                assert found.setdefault(y, word) == word, f"{y} is {found[y]} and {word} of {of}"
        return found

    def _all(self, x: int) -> Iterator[tuple[int, str]]:
        yield from self._forebears(x)
        yield from self._uncles(x)
        yield from self._cousins(x)
        yield from self._descendants(x)
        yield from self._siblings(x)
        yield from self._spouse(x)

    def _pick(self, y: int, male: str, female: str) -> str:
        return male if self.male[y] else female

    def _sibling(self, x: int, y: int) -> str:
        older = self.births[y] < self.births[x]
        return self._pick(y, "哥" if older else "弟", "姐" if older else "妹")

    def _add_spouses(self, people: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Yield these people and their spouses."""
        for y, word in people:
            yield y, word
            yield from ((z, _SPOUSES[word]) for z in self.spouses[y])

    def _forebears(self, x: int) -> Iterator[tuple[int, str]]:
        for p in self.parents[x]:
            yield p, self._pick(p, "父亲", "母亲")
            for g in self.parents[p]:
                yield g, self._pick(g, "爷爷", "奶奶") if self.male[p] else self._pick(g, "外公", "外婆")
                for h in self.parents[g]:
                    kind = ("" if self.male[p] else "外") + "曾" + ("" if self.male[g] else "外")
                    yield h, kind + self._pick(h, "祖父", "祖母")

    def _blood_uncles(self, x: int) -> Iterator[tuple[int, str]]:
        for p in self.parents[x]:
            for u in self.siblings[p]:
                elder = "伯父" if self.births[u] < self.births[p] else "叔父"
                yield u, self._pick(u, elder, "姑母") if self.male[p] else self._pick(u, "舅父", "姨母")

    def _uncles(self, x: int) -> Iterator[tuple[int, str]]:
        yield from self._add_spouses(self._blood_uncles(x))
        for p in self.parents[x]:
            for u, word in self._blood_uncles(p):
                yield u, _GREAT[word].format("" if self.male[p] else "外")
            for c, kind in self._blood_cousins(p):
                elder = "伯父" if self.births[c] < self.births[p] else "叔父"
                yield (
                    c,
                    kind + (self._pick(c, elder, "姑母") if self.male[p] else self._pick(c, "舅父", "姨母")),
                )

    def _blood_cousins(self, x: int) -> Iterator[tuple[int, str]]:
        for p in self.parents[x]:
            for u in self.siblings[p]:
                yield from ((c, "堂" if self.male[p] and self.male[u] else "表") for c in self.children[u])

    def _cousins(self, x: int) -> Iterator[tuple[int, str]]:
        for c, kind in self._blood_cousins(x):
            for y, word in self._add_spouses(iter([(c, self._sibling(x, c))])):
                yield y, kind + word
            for y in self.children[c]:
                yield (
                    y,
                    kind + (self._pick(y, "侄", "侄女") if self.male[c] else self._pick(y, "外甥", "外甥女")),
                )

    def _descendants(self, x: int) -> Iterator[tuple[int, str]]:
        for c in self.children[x]:
            yield from self._add_spouses(iter([(c, self._pick(c, "儿子", "女儿"))]))
            for s in self.spouses[c]:
                yield from ((y, self._pick(y, "亲家公", "亲家母")) for y in self.parents[s])
            for g in self.children[c]:
                word = ("" if self.male[c] else "外") + self._pick(g, "孙子", "孙女")
                yield from self._add_spouses(iter([(g, word.replace("外孙子", "外孙"))]))
                for h in self.children[g]:
                    kind = ("" if self.male[c] else "外") + "曾" + ("" if self.male[g] else "外")
                    yield h, kind + self._pick(h, "孙", "孙女")

    def _siblings(self, x: int) -> Iterator[tuple[int, str]]:
        for s in self.siblings[x]:
            yield from self._add_spouses(iter([(s, self._sibling(x, s) * 2)]))
            for n in self.children[s]:
                word = self._pick(n, "侄子", "侄女") if self.male[s] else self._pick(n, "外甥", "外甥女")
                yield from self._add_spouses(iter([(n, word)]))
                for g in self.children[n]:
                    kind = ("侄" if self.male[s] else "甥") + ("" if self.male[n] else "外")
                    yield g, kind + self._pick(g, "孙", "孙女")

    def _spouse(self, x: int) -> Iterator[tuple[int, str]]:
        for s in self.spouses[x]:
            yield s, self._pick(s, "丈夫", "妻子")
            for p in self.parents[s]:
                yield p, self._pick(p, "公公", "婆婆") if self.male[s] else self._pick(p, "岳父", "岳母")
            for y in self.siblings[s]:
                rank = "大" if self.births[y] < self.births[s] else "小"
                man = ("伯" if rank == "大" else "叔") if self.male[s] else "舅"
                yield y, rank + self._pick(y, man, "姑" if self.male[s] else "姨") + "子"
                if self.male[s] == self.male[y]:
                    yield from ((z, self._pick(s, "妯娌", "连襟")) for z in self.spouses[y])
                if not self.male[s] and self.male[y]:
                    yield from ((n, self._pick(n, "内侄", "内侄女")) for n in self.children[y])
