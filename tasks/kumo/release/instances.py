"""One released line of instances in perennial's form."""

from dataclasses import replace

from schemas.errors import UnreadableInput
from schemas.kumo.things import Instance
from tasks.kumo.encoding import EncodedConfig
from tasks.kumo.instance_lines import parse_instances

_SOURCE = "instance"


def parse_instance(line: str, encoded: EncodedConfig, index: int) -> Instance:
    """Return the line's instance, with its seed as given and this index.

    States are found by `Outcome.state_of` (None where an observation falls into no state). Raises
    UnreadableInput that says only what is wrong: who calls knows file and line.
    """
    try:
        instance = next(parse_instances([line], encoded, _SOURCE))
    except UnreadableInput as error:
        raise UnreadableInput(str(error).removeprefix(f"{_SOURCE}, line 1: ")) from None
    return replace(instance, index=index)
