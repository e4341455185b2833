"""The command line of the scripted server."""

import argparse
from collections.abc import Mapping, Sequence

from perennial.schemas.errors import InvalidOption
from tests.server.batch_faults import BATCH_FAULTS
from tests.server.faults import EXTRA_FAULTS, SUBSTANCE_FAULTS, TRANSPORT_FAULTS
from tests.server.foreign import FOREIGN_FAULTS
from tests.server.hostile import HOSTILE_FAULTS
from tests.server.options import (
    DEFAULT_MODELS,
    DEFAULT_ROLES,
    HOLD_POINTS,
    ServerOptions,
    check_options,
    load_roles,
)
from tests.server.script import Script

EXAMPLE = """\
example:
  python -m tests.server --port 8399 --key sk-test --latency 0.1 --fault 429=0.05 --fault player.prose=0.1
"""


def parse_options(argv: Sequence[str]) -> ServerOptions:
    """Return the options that a command line gives; leave with a message where it makes no sense."""
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--roles", default=DEFAULT_ROLES)
    roles = load_roles(first.parse_known_args(argv)[0].roles)
    parser = _parser(roles)
    given = vars(parser.parse_args(argv))
    for name in ("models", "keys", "refuse"):
        given[name] = tuple(given[name])
    given["models"] = given["models"] or DEFAULT_MODELS
    given["faults"] = dict(given["faults"])
    options = ServerOptions(**given)
    try:
        check_options(options, roles)
    except InvalidOption as error:
        parser.error(str(error))
    return options


def _parser(roles: Sequence[Script]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.server",
        description="An OpenAI-compatible server that plays every role, well or badly. For developers.",
        epilog=EXAMPLE + "\n" + _faults_text(roles),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    add("--port", type=int, default=0, help="port to listen on; 0, the default, picks a free one")
    add("--seed", type=int, default=0, help="seed of replies and faults (0)")
    add("--latency", type=float, default=0.0, dest="latency_s", metavar="S", help="seconds a reply takes (0)")
    add(
        "--model",
        action="append",
        default=[],
        dest="models",
        metavar="NAME",
        help=f"a model to serve; may be repeated ({', '.join(DEFAULT_MODELS)}); "
        "one whose name ends in -perfect has no content faults",
    )
    add(
        "--key",
        action="append",
        default=[],
        dest="keys",
        metavar="KEY",
        help="a key to accept; may be repeated (none: no key is asked for)",
    )
    add(
        "--fault",
        action="append",
        default=[],
        dest="faults",
        metavar="NAME=RATE",
        type=_parse_rate,
        help="how often a fault strikes, from 0 to 1; may be repeated",
    )
    add(
        "--max-transport-faults",
        type=int,
        default=3,
        metavar="N",
        help="a request is served after so many bad attempts (3)",
    )
    add(
        "--retry-after",
        type=float,
        default=0.05,
        dest="retry_after_s",
        metavar="S",
        help="seconds that 429 and 503 ask to wait (0.05): whole in Retry-After, exact in retry-after-ms",
    )
    add(
        "--slow", type=float, default=1.0, dest="slow_s", metavar="S", help="how late a slow answer comes (1)"
    )
    add(
        "--refuse",
        action="append",
        default=[],
        metavar="PARAM",
        help="answer 400 to requests with this parameter, such as response_format; may be repeated",
    )
    add("--log", metavar="FILE", help="write what became of each request to a JSON Lines file")
    add(
        "--hold-after",
        type=int,
        metavar="N",
        help="answer N requests, then hold all replies until released by POST /control/release",
    )
    add(
        "--hold-batch",
        choices=HOLD_POINTS,
        help="hold the Batch API until released: after an upload, after a batch is made, while it is "
        "looked at, or in the middle of its output",
    )
    add("--no-batches", action="store_false", dest="has_batches", help="have no Batch API")
    add("--no-tools", action="store_false", dest="has_tools", help="ignore tools that are offered")
    add("--roles", default=DEFAULT_ROLES, metavar="MODULE", help=f"where the roles are ({DEFAULT_ROLES})")
    return parser


def _parse_rate(text: str) -> tuple[str, float]:
    name, _, rate = text.rpartition("=")
    try:
        return name, float(rate if name else "")
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME=RATE, such as 429=0.05") from error


def _faults_text(roles: Sequence[Script]) -> str:
    lines = ["faults of transport, drawn at each attempt:", *_parse_list(TRANSPORT_FAULTS)]
    lines += ["hostile ones:", *_parse_list(HOSTILE_FAULTS)]
    lines += ["words of other servers:", *_parse_list(FOREIGN_FAULTS)]
    lines += ["faults of the Batch API:", *_parse_list(BATCH_FAULTS)]
    lines += ["faults of content, drawn once a request (ROLE.FAULT: for one role only):"]
    lines += _parse_list({**SUBSTANCE_FAULTS, **EXTRA_FAULTS})
    lines += ["faults of content of one role:"]
    lines += [f"  {script.role}.{fault}" for script in roles for fault in script.faults]
    return "\n".join(lines)


def _parse_list(faults: Mapping[str, str]) -> list[str]:
    return [f"  {name:<16} {what}" for name, what in faults.items()]
