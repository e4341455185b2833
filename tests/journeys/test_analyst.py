"""An analyst asks what is saved, queries what is not, reads the files with pandas, and can trust each row."""

import csv
import io
import json

import pandas
import pytest

from tests.journeys.walking import Walk
from tests.server.running import RunningServer


def test_an_analyst_asks_queries_and_reads(walk: Walk, server: RunningServer) -> None:
    models = ("acme/atlas-70b-instruct", "corvid-mini")
    players = ",".join((*models, "optimum", "guesser"))
    grow = f"perennial refresh --size tiny --runs 1 --base-url {server.url} --players {players}"
    walk.type(f"{grow} --edition first")
    walk.type(f"{grow} --edition second")

    # Every saved question answers with rows, or says why it has none.
    names = [line.split()[0] for line in walk.type("perennial ask").lines[1:-1] if line[:1].islower()]
    assert len(names) > 20
    for name in names:
        answer = walk.type(f"perennial ask {name} --json")
        rows = json.loads(answer.result)
        assert rows or answer.beside.strip(), name

    # One's own SQL, as a table, for a spreadsheet, and for a program.
    sql = "SELECT player, success_rate FROM leaderboard WHERE edition = 'first' AND setting = 'easy'"
    table = walk.type(f'perennial query "{sql}"')
    assert all(name in table.result for name in models)
    rates = {
        row["player"]: float(row["success_rate"])
        for row in csv.DictReader(io.StringIO(walk.type(f'perennial query "{sql}" --format csv').result))
    }
    assert rates["optimum"] == 1.0 > rates["corvid-mini"] == 0.0

    # The same from the files, as the docs read them.
    episodes = pandas.read_parquet(walk.folder / "warehouse/data/tables/episodes")
    instances = pandas.read_parquet(walk.folder / "warehouse/data/tables/instances")
    easy = episodes.merge(instances[["edition", "instance_id", "setting"]], on=["edition", "instance_id"])
    means = easy[(easy.edition == "first") & (easy.setting == "easy")].groupby("player").success.mean()
    assert means.to_dict() == pytest.approx(rates)

    # A withdrawn edition is gone from every view, and comes back.
    walk.type('perennial editions withdraw first --why "wrong prompt"')
    assert walk.rows("SELECT DISTINCT edition FROM leaderboard") == [("second",)]
    walk.type('perennial editions reinstate first --why "it was right"')
    assert len(walk.rows("SELECT DISTINCT edition FROM leaderboard")) == 2
