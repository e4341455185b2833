"""KnowLogic's views over an edition made by hand, against SQL over the tables themselves."""

from pathlib import Path

import pytest

from perennial.tasks.statistics.agreement import nominal_alpha
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.store.store import Store
from tests.knowlogic.figures import made_edition


def means(columns: str, where: str = "true") -> str:
    """Return SQL of accuracy by any columns of questions: the mean over questions of the mean over runs."""
    return f"""
        SELECT {columns}, player, count(*), avg(rate)
        FROM (
            SELECT q.*, e.player, avg(e.success::INT) AS rate
            FROM episodes AS e
            JOIN knowlogic_questions AS q USING (instance_id)
            WHERE e.status <> 'api_error' AND {where}
            GROUP BY ALL
        )
        GROUP BY ALL
    """


@pytest.fixture(scope="module")
def catalog(root: Path) -> Catalog:
    return open_catalog(Store(str(root)))


def same(catalog: Catalog, one: str, other: str) -> None:
    """Hold that two queries have the same rows, the last two columns being a number and a mean."""
    found, expected = (sorted(catalog.query(sql)[1]) for sql in (one, other))
    assert [row[:-1] for row in found] == [row[:-1] for row in expected]
    assert [row[-1] for row in found] == pytest.approx([row[-1] for row in expected])
    assert found


@pytest.mark.slow
def test_the_leaderboard_has_the_papers_columns_and_order(catalog: Catalog) -> None:
    board = catalog.records("FROM knowlogic_leaderboard")
    # `other` has no answer in domain mix, and so no average: it stands last.
    assert [row["player"] for row in board] == ["exact", "m-large", "m-small", "single", "other"]
    for row in board:
        cells = [
            row[f"{domain}_{language}_accuracy"]
            for domain in made_edition.DOMAINS
            for language in made_edition.LANGUAGES
        ]
        if row["player"] == "other":
            assert (row["average"], cells[-2:]) == (None, [None, None])
        else:
            assert row["average"] == pytest.approx(sum(cells) / 10)
            # The paper has no social questions in English.
            assert row["average_paper"] == pytest.approx((sum(cells) - row["social_en_accuracy"]) / 9)
            assert row["average_paper_low"] <= row["average_paper"] <= row["average_paper_high"]
            assert row["average_low"] <= row["average"] <= row["average_high"]
    assert [row["questions"] for row in board] == [120, 119, 120, 120, 96]


@pytest.mark.slow
def test_scores_and_difficulties_are_those_of_the_episodes(catalog: Catalog) -> None:
    columns = "domain, language, difficulty"
    same(
        catalog,
        f"SELECT {columns}, player, questions, accuracy FROM knowlogic_scores "
        "WHERE domain <> 'all' AND language <> 'all' AND difficulty <> 'all'",
        means(columns),
    )
    same(
        catalog,
        "SELECT domain, language, player, hard_questions, hard_accuracy FROM knowlogic_difficulty "
        "WHERE domain <> 'all' AND language <> 'all'",
        f"SELECT * EXCLUDE (difficulty) FROM ({means(columns)}) WHERE difficulty = 'hard'",
    )
    whole = "(domain, language, difficulty) = ('all', 'all', 'all')"
    same(
        catalog,
        f"SELECT 1, player, questions, accuracy FROM knowlogic_scores WHERE {whole}",
        means("1 AS one"),
    )
    counts = catalog.records(f"SELECT DISTINCT questions_of_edition FROM knowlogic_scores WHERE {whole}")
    assert counts == [{"questions_of_edition": 120}]


def test_scenarios_types_and_properties_are_those_of_the_episodes(catalog: Catalog) -> None:
    same(
        catalog,
        "SELECT domain, scenario, language, player, questions, accuracy FROM knowlogic_scenarios "
        "WHERE language <> 'all'",
        means("domain, scenario, language"),
    )
    slots = "entities - (variables->>'$.al')::INT"
    kinds = {"type": "type", "precision": "precision", "right_letters": "length(letters)"}
    kinds |= {
        "chain_length": "chain_length",
        "slots": slots,
        "slots_precision": f"{slots} || ' ' || precision",
    }
    for label, column in kinds.items():
        where = "q.domain = 'space'" if label.startswith("slots") else "true"
        for quantifier, columns in (("<>", "domain, language, "), ("=", "")):
            same(
                catalog,
                f"SELECT {columns}value, player, questions, accuracy FROM knowlogic_types WHERE "
                f"language {quantifier} 'all' AND domain {quantifier} 'all' AND label = '{label}'",
                means(f"{columns}({column})::VARCHAR AS value", where),
            )
    for label, column in (("property", "properties"), ("relation", "relations")):
        same(
            catalog,
            "SELECT domain, value, player, questions, accuracy FROM knowlogic_properties "
            f"WHERE language = 'zh' AND label = '{label}'",
            "SELECT domain, label, player, count(*), avg(rate) FROM ("
            "SELECT q.domain, p.label, e.player, q.instance_id, avg(e.success::INT) AS rate "
            "FROM episodes AS e JOIN knowlogic_questions AS q USING (instance_id), "
            f"unnest(q.{column}) AS p (label) "
            "WHERE e.status <> 'api_error' AND q.language = 'zh' GROUP BY ALL) GROUP BY ALL",
        )


def test_types_stand_in_order_with_numbers_as_numbers(catalog: Catalog) -> None:
    rows = catalog.records(
        "FROM knowlogic_types WHERE domain = 'all' AND language = 'all' AND player = 'exact'"
    )
    assert [(row["label"], row["value"]) for row in rows if row["label"] != "type"] == [
        *(("precision", value) for value in ("precise", "vague")),
        *(("right_letters", value) for value in "123"),
        *(("chain_length", value) for value in "123"),
        *(("slots", value) for value in "45"),
        *(("slots_precision", f"{slots} {of}") for slots in (4, 5) for of in ("precise", "vague")),
    ]


def test_tokens_have_right_and_wrong_replies_and_correlations_of_one_domain(catalog: Catalog) -> None:
    rows = catalog.records("FROM knowlogic_tokens")
    assert {row["player"] for row in rows} == set(made_edition.MODELS)
    for row in rows:
        is_whole = row["difficulty"] == "all" and row["domain"] != "all"
        assert (row["pearson"] is not None) == is_whole
        assert (row["right_questions"] or 0) + (row["wrong_questions"] or 0) >= row["questions"]
    same(
        catalog,
        "SELECT domain, difficulty, language, player, wrong_questions, wrong_tokens FROM knowlogic_tokens "
        "WHERE domain <> 'all' AND difficulty <> 'all' AND language <> 'all' AND wrong_tokens IS NOT NULL",
        "SELECT domain, difficulty, language, player, count(*), avg(tokens) FROM (SELECT q.domain, "
        "q.difficulty, q.language, e.player, q.instance_id, avg(c.completion_tokens) AS tokens FROM "
        "episodes AS e JOIN knowlogic_questions AS q USING (instance_id) JOIN turns AS t USING "
        "(episode_id) "
        "JOIN calls AS c USING (call_id) WHERE e.status <> 'api_error' AND NOT e.success GROUP BY ALL) "
        "GROUP BY ALL",
    )


def test_levels_are_bands_within_a_domain(catalog: Catalog) -> None:
    band = "floor(4 * level) / 4"
    same(
        catalog,
        "SELECT domain, level, language, player, questions, accuracy FROM knowlogic_levels "
        "WHERE language <> 'all'",
        means(f"domain, {band} AS band, language"),
    )
    rows = catalog.records("FROM knowlogic_levels WHERE language = 'all'")
    assert {row["domain"] for row in rows} == set(made_edition.DOMAINS)
    assert {row["player"] for row in rows if row["tokens"] is not None} == set(made_edition.MODELS)


def test_the_mean_of_the_models_leaves_programs_out(catalog: Catalog) -> None:
    (row,) = catalog.records(
        "FROM knowlogic_model_means WHERE classes = 'effort' "
        "AND (domain, language, difficulty) = ('space', 'zh', 'hard')",
    )
    ((models, mean, lowest, highest),) = catalog.query(
        "SELECT count(*), avg(accuracy), min(accuracy), max(accuracy) FROM knowlogic_scores WHERE "
        "(domain, language, difficulty) = ('space', 'zh', 'hard') AND player NOT IN ('exact', 'single')"
    )[1]
    assert row["models"] == models == 3
    assert row["mean_accuracy"] == pytest.approx(mean)
    assert (row["lowest_accuracy"], row["highest_accuracy"]) == (lowest, highest)


def test_languages_are_compared_on_the_same_pairs(catalog: Catalog) -> None:
    rows = catalog.records("FROM knowlogic_languages WHERE domain = 'all'")
    found = {row["player"]: row for row in rows}
    large = found["m-large"]
    assert (large["pairs"], large["only_zh"], large["only_en"]) == (59, 15, 0)
    assert large["difference"] == pytest.approx(15 / 59)
    assert large["difference"] == pytest.approx(large["zh_accuracy"] - large["en_accuracy"])
    # Three models are the family, two programs another one.
    assert large["p_adjusted"] == pytest.approx(3 * large["p_value"])
    assert (found["exact"]["only_zh"], found["exact"]["p_value"]) == (0, 1)
    assert [row["difference"] for row in rows] == sorted((row["difference"] for row in rows), reverse=True)


def test_errors_make_one_with_right_and_unread_replies(catalog: Catalog) -> None:
    rows = catalog.records("FROM knowlogic_errors")
    classes = ("subset", "superset", "overlap", "disjoint")
    for row in rows:
        assert row["accuracy"] + row["unextracted_rate"] + sum(
            row[name] for name in classes
        ) == pytest.approx(1)
        shares = [row[f"{name}_of_errors"] for name in classes]
        assert shares == [None] * 4 or sum(shares) == pytest.approx(1)
    same(
        catalog,
        "SELECT domain, language, player, 1, overlap FROM knowlogic_errors "
        "WHERE difficulty = 'all' AND domain <> 'all' AND language <> 'all'",
        "SELECT domain, language, player, 1, avg(rate) FROM ("
        "SELECT q.domain, q.language, e.player, q.instance_id, "
        "avg(coalesce(a.error_class = 'overlap', false)::INT) AS rate "
        "FROM episodes AS e JOIN knowlogic_questions AS q USING (instance_id) "
        "JOIN knowlogic_answers AS a USING (episode_id) WHERE e.status <> 'api_error' GROUP BY ALL) "
        "GROUP BY ALL",
    )


def test_a_wrong_answer_has_the_fault_of_its_error_class(catalog: Catalog) -> None:
    rows = catalog.records("SELECT reason, episodes FROM losses WHERE status = 'wrong'")
    wrong = catalog.records("SELECT count(*) AS n FROM knowlogic_answers WHERE error_class IS NOT NULL")
    assert sum(row["episodes"] for row in rows if row["reason"].startswith("wrong: ")) == wrong[0]["n"] > 0


def test_an_answer_is_right_where_it_is_the_right_answer(catalog: Catalog) -> None:
    rows = catalog.records("SELECT success, answer, right_answer FROM episodes_wide")
    assert {row["success"] for row in rows} == {True, False}
    assert all(row["success"] == (row["answer"] == row["right_answer"]) for row in rows)


def test_failures_are_shares_of_each_analysts_answers_and_agreement_is_alpha(catalog: Catalog) -> None:
    same(
        catalog,
        "SELECT analyst, player, domain, language, value, answers, share FROM knowlogic_failures "
        "WHERE domain <> 'all' AND language <> 'all'",
        "SELECT *, number / sum(number) OVER (PARTITION BY analyst, player, domain, language) FROM (SELECT "
        "analyst, player, domain, language, outcome_category, count(*) AS number FROM knowlogic_analyses "
        "JOIN episodes USING (episode_id) JOIN knowlogic_questions USING (instance_id) GROUP BY ALL)",
    )
    units = catalog.query(
        "SELECT list(outcome_category ORDER BY analyst) FROM knowlogic_analyses GROUP BY episode_id"
    )[1]
    (row,) = catalog.records("FROM analyst_agreement WHERE player = 'all'")
    assert (row["what"], row["answers"]) == ("category", len(units))
    assert row["alpha"] == pytest.approx(nominal_alpha([unit for (unit,) in units]))
    assert row["alpha_low"] < row["alpha"] < row["alpha_high"] < 1


def test_classes_by_level_stand_nearest_to_1_2_3_and_share_no_level(catalog: Catalog) -> None:
    cuts = "(SELECT DISTINCT domain, difficulty AS class, up_to FROM knowlogic_level_classes)"
    # Levels 1.0 to 1.6 of twelve pairs, 1.0 to 1.4 twice: 2, 4 or 6 of twelve are at or below one of these.
    assert catalog.query(f"SELECT class, up_to FROM {cuts} WHERE domain = 'time' ORDER BY up_to")[1] == [
        ("easy", 1.0),
        ("medium", 1.2),
        ("hard", 1.6),
    ]
    same(
        catalog,
        "SELECT domain, language, player, difficulty, questions, accuracy FROM knowlogic_level_classes "
        "WHERE language <> 'all'",
        "SELECT domain, language, player, class, count(*), avg(rate) FROM (SELECT q.domain, q.language, "
        "e.player, q.instance_id, arg_min(c.class, c.up_to) AS class, avg(e.success::INT) AS rate "
        "FROM episodes AS e JOIN knowlogic_questions AS q USING (instance_id) "
        f"JOIN {cuts} AS c ON c.domain = q.domain AND q.level <= c.up_to "
        "WHERE e.status <> 'api_error' GROUP BY ALL) GROUP BY ALL",
    )


def test_pairs_are_ranked_by_how_far_languages_differ_and_replies_are_points(catalog: Catalog) -> None:
    pairs = catalog.records("FROM knowlogic_language_pairs")
    assert [row["rank"] for row in pairs] == list(range(1, 61))
    gaps = [abs(row["difference"]) for row in pairs]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0
    # m-large lost one reply, and `other` has none in mix.
    assert {row["models"] for row in pairs} == {2, 3}
    of_models = (
        "SELECT count(*) FROM episodes WHERE player NOT IN ('exact', 'single') AND status <> 'api_error'"
    )
    ((replies,),) = catalog.query(of_models)[1]
    points = catalog.records("FROM knowlogic_replies")
    assert len(points) == replies
    assert {type(row["level"]) for row in points} == {float}
