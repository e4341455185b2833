"""Tasks of Inspect of the benchmarks with one reply per question, answered by Inspect's mock model."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition

pytestmark = pytest.mark.slow
inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
model_of = pytest.importorskip("inspect_ai.model")
# After those: it needs the extra.
from perennial.flows.inspect_tasks.import_logs import import_logs  # noqa: E402
from perennial.flows.inspect_tasks.play import as_completion  # noqa: E402
from perennial.flows.inspect_tasks.tasks import make_task  # noqa: E402
from perennial.tasks.llm.replies import read_message  # noqa: E402

PLAYED: dict[str, dict[str, Any]] = {
    "knowlogic": {"domains": ["nature"], "questions": 3},
    "beyondbench": {"tasks": ["addition", "tower_of_hanoi/disks_3"], "instances": 2},
    "a2rbench": {"seeds": 1, "variations": 1},
}
# What depends on who answered.
OF_PLAYERS = dict.fromkeys(PLAYED, "evaluation") | {"beyondbench": "evaluation, token_status, context_tokens"}


def graded(catalog: Catalog, benchmark: str, player: str) -> list[tuple[Any, ...]]:
    """Return how each episode of the player was graded, in shared columns and in the benchmark's own."""
    return catalog.query(
        "SELECT e.instance_id, e.run, e.status, e.success, e.score, "
        f"a.* EXCLUDE (episode_id, {OF_PLAYERS[benchmark]}) FROM episodes AS e "
        f"JOIN {benchmark}_answers AS a USING (episode_id) "
        f"WHERE e.player = '{player}' ORDER BY ALL"
    )[1]


@pytest.mark.parametrize("text", ["", "The answer is 4."])
@pytest.mark.parametrize("arguments", [{}, {"code": "print('ß')"}])
def test_a_reply_that_calls_a_tool_says_what_it_says_from_a_server(
    text: str, arguments: dict[str, str]
) -> None:
    said = model_of.ModelOutput.for_tool_call("mock", "python", arguments, tool_call_id="7", content=text)
    function = {"name": "python", "arguments": json.dumps(arguments)}
    served = {"role": "assistant", "content": text, "tool_calls": [{"id": "7", "function": function}]}
    read, ours = read_message(as_completion(said)["choices"][0]["message"]), read_message(served)
    assert (read.status, json.loads(read.content)) == (ours.status, json.loads(ours.content))
    assert ours.status == "tool_call"


@pytest.mark.parametrize("benchmark", sorted(PLAYED))
def test_replies_of_the_floor_are_graded_as_the_floor(benchmark: str, tmp_path: Path) -> None:
    floor = find_benchmark(benchmark).declaration.floor
    assert floor is not None
    make_edition(
        tmp_path, "e", benchmark=benchmark, **PLAYED[benchmark], runs=1, seed=5, players=[floor.player]
    )
    catalog = open_catalog(Store(str(tmp_path)))
    replies = dict(catalog.query("SELECT instance_id, reply FROM episodes JOIN turns USING (episode_id)")[1])

    def answer(messages: list[Any], *_settings: Any) -> Any:
        said = model_of.ModelOutput.from_content("mock", replies[asked[messages[0].text]])
        said.usage = model_of.ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120, total_cost=0.5)
        return said

    made = make_task(benchmark, "e", str(tmp_path))
    asked = {sample.input[0].text: sample.id for sample in made.dataset}
    mock = model_of.get_model("mockllm/model", custom_outputs=answer)
    (log,) = inspect_ai.eval(
        f"perennial/{benchmark}",
        task_args={"root": str(tmp_path)},
        model=mock,
        display="none",
        log_dir=str(tmp_path / "logs"),
    )
    assert log.status == "success", log.error
    done = import_logs(Store(str(tmp_path)), [Path(log.location)], "mine", lambda _line: None)
    assert (done.unit, done.players, done.episodes) == ("e@mine", ("mockllm/model",), len(replies))
    catalog = open_catalog(Store(str(tmp_path)))
    ours, theirs = (graded(catalog, benchmark, name) for name in (floor.player, "mockllm/model"))
    assert ours == theirs
    assert len(ours) == len(replies) > 0
    assert catalog.query("SELECT sum(tokens), sum(cost_usd) FROM episodes WHERE player = 'mockllm/model'")[
        1
    ] == [(120 * len(ours), 0.5 * len(ours))]
    metrics = {score.name: score.metrics for score in log.results.scores}
    for measure in find_benchmark(benchmark).declaration.measures:
        for setting, value in catalog.query(
            "SELECT setting, value FROM statistics WHERE player = 'mockllm/model' AND domain = 'all' "
            f"AND other = '' AND statistic = '{measure.statistic}' AND convention = '{measure.convention}'"
        )[1]:
            names = (measure.column, f"{measure.column} {setting}")
            found = [metrics["grade"][name].value for name in names if name in metrics["grade"]]
            assert found == [pytest.approx(value)]
