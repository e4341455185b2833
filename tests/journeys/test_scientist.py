"""A scientist plans a comparison, compares two editions, and checks that each figure can be made again."""

import json

from tests.journeys.walking import Walk
from tests.server.running import RunningServer


def test_a_scientist_plans_compares_and_reproduces(walk: Walk, server: RunningServer) -> None:
    plan = walk.type("perennial design --help")
    assert "Example:" in plan.result
    models = ("acme/atlas-70b-instruct", "m-70", "corvid-mini")
    players = ",".join((*models, "optimum", "guesser"))
    grow = f"perennial refresh --size tiny --runs 1 --base-url {server.url} --players {players}"
    walk.type(f"{grow} --edition spring")
    walk.type(f"{grow} --edition autumn")

    # Two models on the same instances: a difference with its interval, and no claim without one.
    better = walk.type("perennial ask better_than edition=autumn player=acme/atlas-70b-instruct --json")
    others = {row["other_player"]: row for row in json.loads(better.result)}
    assert others.keys() >= {*models[1:]}
    for row in others.values():
        assert row["difference_low"] < row["difference"] <= row["difference_high"], row
    # Seven instances show that it beats a model that never answers, and nothing about its like.
    assert others["corvid-mini"]["difference_low"] > 0 > others["m-70"]["difference_low"]

    walk.type("perennial report autumn --compare spring")
    (page,) = walk.folder.glob("reports/autumn*.html")
    html = page.read_text(encoding="utf-8")
    assert "spring" in html
    assert all(name in html for name in models)

    # Each figure can be made again from the seed and the stored replies, without a call.
    answered = server.status().answered
    walk.type("perennial verify --all")
    same = walk.type("perennial reproduce autumn@1")
    assert "same" in same.result.lower() or "equal" in same.result.lower()
    assert server.status().answered == answered
