"""An author has domains proposed and configured by a model, looks at them, and grows an edition of them."""

from tests.journeys.walking import Walk
from tests.server.options import ServerOptions
from tests.server.running import running_server


def test_an_author_grows_an_edition_of_domains_that_a_model_wrote(walk: Walk) -> None:
    with running_server(ServerOptions(models=("writer",), seed=7)) as server:
        grow = (
            f"perennial refresh --author writer --propose 2 --categories Medicine --base-url {server.url} "
            "--players optimum,guesser --settings easy --instances 2 --edition authored"
        )
        estimate = walk.type(f"{grow} --dry-run --json").document()
        assert estimate["counts"]["model_calls"] != 0
        walk.type(grow)

    # The funnel says what became of each proposal, and each refusal has its reason and its call.
    funnel = dict(walk.rows("SELECT step, number FROM authoring_funnel WHERE category = 'all'"))
    assert funnel["accepted"] >= 1
    reasons = walk.rows("SELECT count(*) FROM rejections WHERE message IS NULL OR message = ''")
    assert reasons == [(0,)]
    # What was written is a configuration like any other: it can be looked at, and is valid.
    ((config,),) = walk.rows("SELECT config FROM kumo_seed_configs LIMIT 1")
    walk.write("written.json", config)
    validated = walk.type("perennial domains validate written.json")
    assert "0 with errors" in validated.result


def test_an_author_writes_a_domain_by_hand(walk: Walk) -> None:
    walk.type("perennial domains new gardening")
    walk.type("perennial domains build gardening")
    walk.type("perennial domains validate gardening/config.json --min-truths 4 --min-actions 3")
    chosen = "--domains gardening/config.json --settings 3x3 --instances 1 --players optimum,guesser"
    grown = walk.type(f"perennial refresh {chosen}")
    assert "optimum" in grown.result
