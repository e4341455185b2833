"""A folder in the syntax of the KUMO authors' repository, with sentences of our own, and a model for it."""

import ast
import random
from pathlib import Path

from perennial.tasks.kumo.players import best_action, first_left
from tests.server.roles.player import Case, states_of_book
from tests.server.script import Asked

AGENT = """
raise SystemError("executed")

@registry.register_agent("VanillaAgent")
class VanillaAgent(BaseAgent):

    def response(self, observation):
        self.observations.append(observation)
        if observation is not None:
            self.messages.append({'role': 'user', 'content': f"Seen: {observation}"})
        messages = copy.deepcopy(self.messages)
        ask = f"Tests: {self.A}\\nCauses: {self.T}\\nWrite <ANSWER> ${{name}} </ANSWER>."
        if observation is not None:
            messages[-1]["content"] += "\\n--\\n" + ask
        else:
            self.messages.append({"role": "user", "content": "Go ahead."})
            messages.append({"role": "user", "content": ask})
        outputs = self.llm_model.call_llm(messages, return_dict=True)
        self.messages.append({'role': 'assistant', 'content': outputs['generated_text']})
        return outputs
"""
ENVIRONMENT = '''
raise SystemError("executed")

@registry.register_environment("ChemicalEnv")
class ChemicalEnv(BaseEnv):

    def get_system_prompt(self, book=None, agent_type='VanillaAgent'):
        if agent_type == 'VanillaAgent' or agent_type == 'OtherAgent':
            prompt = \\
                f"""
One {{cause}} is left over.
Causes: {self.env.truth_space}
Tests: {self.env.action_space}
"""
            if book is not None and agent_type != 'OtherAgent':
                prompt += f"\\n<BOOK>\\n{book}\\n</BOOK>"
            elif agent_type == 'OtherAgent':
                prompt += f"{self.mapping()}"
            return prompt
        elif agent_type == 'ThirdAgent':
            raise NotImplementedError("never")
'''
DERIVED = """
@registry.register_environment("DerivedEnv")
class DerivedEnv(ChemicalEnv):
    pass
"""
AGENT_FILE, ENVIRONMENT_FILE = "agents/vanilla_agent.py", "env/chemical_env.py"


def write_clone(folder: Path, agent: str = AGENT, environment: str = ENVIRONMENT) -> Path:
    """Write the folder and return it."""
    files = {AGENT_FILE: agent, ENVIRONMENT_FILE: environment, "env/derived_env.py": DERIVED}
    for name, text in {**files, "env/broken_env.py": "def ("}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


class PaperModel:
    """A role that plays under the protocol: by the book where there is one, else it names the first truth."""

    role = "player"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("\nOne {cause} is left over.")

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        case = _read_case(asked)
        left, untried = (1 << len(case.truths)) - 1, list(range(len(case.actions)))
        for message in asked.messages[3::2]:
            seen = ast.literal_eval(message["content"].removeprefix("Seen: ").partition("\n--\n")[0])
            index = case.actions.index(seen["action"])
            untried.remove(index)
            held = (state for state in case.states[index] if state.holds(seen["observation"]))
            left &= ~next((state.mask for state in held), 0)
        chosen = best_action(case.masks, left, untried)
        name = case.truths[first_left(left)] if chosen is None else case.actions[chosen]
        return f"Hm. <ANSWER> ${{{name}}} </ANSWER>"


def _read_case(asked: Asked) -> Case:
    *_, tests, causes, _ = asked.messages[-1]["content"].splitlines()
    actions, truths = (ast.literal_eval(line.partition(": ")[2]) for line in (tests, causes))
    bits = {name: 1 << i for i, name in enumerate(truths)}
    found = states_of_book(asked.system, bits) if "<BOOK>" in asked.system else {}
    states = [found.get(action, []) for action in actions]
    return Case(truths, actions, states, [[state.mask for state in listed] for listed in states])


def scripts() -> tuple[PaperModel, ...]:
    """Return the roles of the scripted server."""
    return (PaperModel(),)
