"""An operator pays for calls: models with facts at two servers, a limit, a dead server, a resumed run."""

from tests.flows.conftest import KEY
from tests.journeys.named_models import NAMES
from tests.journeys.walking import SIX_MODELS, Walk
from tests.server.options import ServerOptions
from tests.server.running import running_server

MODELS_FILE = """
["acme/atlas-70b-instruct"]
family = "Atlas"
parameters_billion = 70
tuning = "instruct"
weights = "open"
prompt_usd_per_million = 0.9
completion_usd_per_million = 1.8

["acme/atlas-8b-instruct"]
family = "Atlas"
parameters_billion = 8
quantization = "q4_k_m"

[m-70]
base_url = "{second}"
parameters_billion = 70
step = 12000
max_output = 400

[corvid-mini]
base_url = "{second}"
concurrency = 1
"""
PLAYERS = ",".join((*NAMES, "optimum", "guesser"))
REFRESH = f"perennial refresh --size tiny --runs 1 --edition first --players {PLAYERS}"


def test_an_operator_grows_an_edition_within_a_limit_and_resumes_it(walk: Walk) -> None:
    with (
        running_server(SIX_MODELS) as first,
        running_server(ServerOptions(models=NAMES, roles=SIX_MODELS.roles)) as second,
    ):
        walk.write("models.toml", MODELS_FILE.format(second=second.url))
        command = f"{REFRESH} --base-url {first.url}"

        plan = walk.type(f"{command} --dry-run")
        assert "m-70" in plan.result
        assert second.url in plan.result

        limited = walk.type(f"{command} --max-calls 30", expecting=7)
        assert "30" in limited.beside
        done = walk.type(command)
        digests = [line.digest for controls in (first, second) for line in controls.log()]
        # Nothing was asked, and paid for, twice.
        assert len(digests) == len(set(digests))

    board = done.result[done.result.index("Edition first") :]
    assert all(name in board for name in NAMES), board
    # Models come first; programs are the lines that they are compared with.
    assert max(map(board.index, NAMES)) < board.index("optimum")
    assert walk.rows("SELECT count(DISTINCT player) FROM episodes") == [(8,)]
    assert walk.rows("SELECT count(*) FROM episodes WHERE status = 'api_error'") == [(0,)]
    # The ledger's calls are the published ones, with the facts of each model beside its figures.
    assert walk.rows("SELECT count(*) FROM calls") == [(len(digests),)]


def test_an_operator_whose_second_server_is_down_loses_nothing(walk: Walk) -> None:
    with running_server(SIX_MODELS) as first:
        walk.write("models.toml", '[m-70]\nbase_url = "http://127.0.0.1:9/v1"\n')
        refused = walk.type(f"{REFRESH} --base-url {first.url}", expecting=6)
        assert "m-70" in refused.beside
        assert refused.beside.count("\n") == 1
        walk.write("models.toml", "")
        walk.type(f"{REFRESH} --base-url {first.url}")
    assert KEY not in (walk.folder / "warehouse/data/ledger.sqlite").read_bytes().decode("latin-1")
