"""A role that cannot compute: it adds the numbers of a list by `python`, and answers wrongly without it."""

import json
import random
import re
from typing import Any

from tests.server.faults import Completion
from tests.server.script import Asked, Script

_LIST = re.compile(r"^List = (\[[-0-9, ]*\])$", re.MULTILINE)
CALLS = ("malformed_arguments", "unknown_function", "parallel_calls", "calls_without_id", "older_form")


class Calculator:
    """Calls the function once, then answers what it printed; a fault is what its first call does badly."""

    role = "calculator"
    faults = (*CALLS, "endless_calls", "loops_in_python")

    def recognises(self, _asked: Asked) -> bool:
        return True

    def reply(self, asked: Asked, fault: str | None, _rng: random.Random) -> Completion:
        results = [message["content"] for message in asked.messages if message["role"] == "tool"]
        numbers = _LIST.search(asked.messages[0]["content"])
        if "tools" not in asked.params:
            return Completion("I cannot compute this.\n\n\\boxed{0}")
        code = f"print(sum({numbers[1]}))" if numbers else "print('yes')"
        right = _call(json.dumps({"code": code}), number=len(results))
        if fault == "endless_calls":
            return Completion("", tool_calls=[right])
        if not results:
            return _begin(fault, right)
        if results[-1].startswith("error: ") and fault != "loops_in_python":
            return Completion("Once more.", tool_calls=[right])
        return Completion(f"The script says \\boxed{{{results[-1].strip()}}}")


def _begin(fault: str | None, right: dict[str, Any]) -> Completion:
    match fault:
        case "malformed_arguments":
            return Completion("", tool_calls=[_call("{'code': 'print(1)'")])
        case "unknown_function":
            return Completion("", tool_calls=[_call("{}", name="wolfram")])
        case "parallel_calls":
            first = _call(json.dumps({"code": "print('first')"}), number=7)
            return Completion("Two at once.", tool_calls=[first, right])
        case "calls_without_id":
            return Completion("", tool_calls=[{**right, "id": None}])
        case "older_form":
            return Completion("", function_call=right["function"])
        case "loops_in_python":
            return Completion("", tool_calls=[_call(json.dumps({"code": "while True: pass"}))])
    return Completion("I let Python add them.", tool_calls=[right])


def _call(arguments: str, *, name: str = "python", number: int = 0) -> dict[str, Any]:
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def scripts() -> tuple[Script, ...]:
    """Return the only role."""
    return (Calculator(),)
