"""A whole clone of the authors' repository in small."""

from collections.abc import Mapping
from pathlib import Path

EASY = "truth_num=4+action_num=6+valid_truth_num=1"
HARD = "truth_num=12+action_num=16+valid_truth_num=1"
DATA = (
    "Truths = ['Oak']\nActions = ['Look']\nOutcomes = {'Look': {'type': 'str', 'states': {'x': {'Oak'}}}}\n"
)


def environment(domain: str, source: str = "", inner: str = "") -> str:
    """Return a file of `env/` that registers the domain, with an import above or within the class."""
    return (
        "import os\nfrom common.registry import registry\nfrom .base_env import BaseEnv\n"
        f'{source}\n\n@registry.register_environment("{domain}")\nclass {domain}(BaseEnv):\n'
        f"    def __init__(self, datapoint=None):\n        {inner or 'self.env = None'}\n"
        '        self.prompt = f"""{datapoint}"""\n'
    )


CLONE: Mapping[str, str] = {
    "README.md": "# A benchmark\n",
    "SAT_sampling.py": "import random\n",
    ".git/config": "",
    "env/__init__.py": "from .tree_env import TreeEnv\n",
    "env/base_env.py": "class BaseEnv:\n    pass\n",
    "env/tree_env.py": environment("TreeEnv", "from env.data.oak_data import Truths, Actions, Outcomes"),
    "env/star_env.py": environment("StarEnv", "from env.data.star_data import *"),
    "env/two_env.py": environment("InEnv", inner="from .data.in_data import Truths, Actions, Outcomes")
    + environment("OutEnv", inner="from .data.out_data import Truths, Actions, Outcomes"),
    "env/masked_env.py": environment("MaskedEnv", "from .tree_env import TreeEnv"),
    "env/data/oak_data.py": DATA,
    "env/data/star_data.py": DATA,
    "env/data/in_data.py": DATA,
    "env/data/out_data.py": DATA,
    f"env/TreeEnv/{EASY}.jsonl": "{}\n",
    f"env/TreeEnv/{HARD}.jsonl": "{}\n",
    f"env/InEnv/{EASY}.jsonl": "{}\n",
    f"env/TreeEnv/knowledge_book/{EASY}/seed=10.txt": "Ten.",
    f"env/TreeEnv/knowledge_book/{EASY}/seed=9.txt": "Nine.",
    f"results/m-2/VanillaAgent/TreeEnv/{EASY}/eval_times=5.jsonl": "{}\n",
    f"results/m-1/VanillaAgent/TreeEnv/{HARD}/eval_times=5.jsonl": "{}\n",
    f"results/m-1/VanillaAgent/TreeEnv/{EASY}/eval_times=5.jsonl": "{}\n",
    f"results/sft_results/m-1-500/SFTAgent/InEnv/{EASY}/eval_times=5.jsonl": "{}\n",
    f"results/search_results/TreeEnv/{EASY}/eval_times=10.jsonl": "{}\n",
}


def write_files(root: Path, files: Mapping[str, str]) -> Path:
    """Write the files below the folder and return it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
