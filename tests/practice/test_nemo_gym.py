"""A resources server of NeMo-Gym: sessions play practice questions by moves, for the game's score."""

from typing import Any
from unittest.mock import MagicMock

import pytest

from perennial.flows.practice.grade import find_practice, open_question
from tests.practice.drawn import draw

pytestmark = pytest.mark.slow
REPLY: dict[str, Any] = {
    "id": "r",
    "created_at": 0,
    "model": "m",
    "object": "response",
    "output": [],
    "tools": [],
    "parallel_tool_calls": False,
    "tool_choice": "auto",
}


def _client() -> Any:
    """Return a new session of a server, as an agent of NeMo-Gym calls it."""
    base = pytest.importorskip("nemo_gym.base_resources_server", reason="nemo-gym is not installed")
    from fastapi.testclient import TestClient
    from nemo_gym.server_utils import ServerClient

    from perennial.flows.practice.trainers import practice_server

    config = base.BaseResourcesServerConfig(
        host="127.0.0.1", port=8080, entrypoint="app.py", name="perennial"
    )
    server = practice_server(base)(config=config, server_client=MagicMock(spec=ServerClient))
    return TestClient(server.setup_webserver())


def _reward(client: Any, row: Any) -> float:
    body = {"responses_create_params": row["responses_create_params"], "response": REPLY}
    reward = client.post("/verify", json=body).json()["reward"]
    assert isinstance(reward, float)
    return reward


def test_a_session_plays_a_game_by_its_moves() -> None:
    client = _client()
    from perennial.flows.practice.trainers import gym_rows

    (question,) = draw("kumo", 1)
    (row,) = gym_rows([question])
    instance = find_practice("kumo").open_seat(question).start().board.instance
    (right,) = instance.valid_truths
    wrong = next(name for name in instance.truths if name != right)
    assert {tool["name"] for tool in row["responses_create_params"]["tools"]} == {"take_action", "answer"}
    for name, score in ((right, 1.0), (wrong, 0.0)):
        assert client.post("/seed_session", json={"line": row["line"]}).status_code == 200
        outcome = open_question(question).take(f"<ANSWER>{instance.actions[0]}</ANSWER>")
        shown = client.post("/take_action", json={"name": instance.actions[0]}).json()
        assert shown == {"outcome": outcome}
        assert client.post("/get_reward", json={}).json() == {"outcome": "There is no such move."}
        client.post("/answer", json={"name": name})
        assert "has ended" in client.post("/answer", json={"name": right}).json()["outcome"]
        assert _reward(client, row) == score
    assert _reward(client, row) == 0.0


@pytest.mark.parametrize("benchmark", ["beyondbench", "knowlogic", "a2rbench"])
def test_a_question_that_is_answered_once(benchmark: str) -> None:
    client = _client()
    from perennial.flows.practice.trainers import gym_rows

    (question,) = draw(benchmark, 1)
    (row,) = gym_rows([question])
    for reply, score in ((question.reply, 1.0), ("no idea", 0.0)):
        client.post("/seed_session", json={"line": row["line"]})
        client.post("/answer", json={"reply": reply})
        assert _reward(client, row) == score
