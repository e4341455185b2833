"""Why calls failed: distinct errors with counts, whatever ids and numbers they hold."""

from perennial.warehouse.ledger.reading import count_causes, describe_causes

ERRORS = [
    ("HTTP 429: slow down, request req_0a1b2c3d", 3),
    ("no whole response within 300 s", 1),
    ("HTTP 429: slow down, request req_99998888", 2),
    ("HTTP 400: 'temperature' is not supported", 7),
    ("the connection was lost", 1),
    ("HTTP 400: 'top_p' is not supported", 1),
]


def test_errors_that_differ_in_ids_and_numbers_alone_are_one_cause() -> None:
    causes = count_causes(ERRORS)
    assert [count for _, count in causes] == [5, 1, 7, 1, 1]
    assert causes[0][0] == ERRORS[0][0]
    assert describe_causes(causes) == (
        "5 x HTTP 429: slow down, request req_0a1b2c3d; 1 x no whole response within 300 s; "
        "7 x HTTP 400: 'temperature' is not supported; and 2 more causes"
    )
    assert describe_causes(causes[:1]) == "5 x HTTP 429: slow down, request req_0a1b2c3d"
    assert len(describe_causes([("x" * 900, 1)])) < 250
