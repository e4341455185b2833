"""Programs that eat a resource, each within its limits by a tenth: time, processor, memory, output, source.

`GREEDY` is written as a model would write it and is run in every tier; `PAST_CHECKS` needs the prelude of
`hostile` and is run where the kernel holds it.
"""

from tests.sandbox.hostile import PRELUDE

GREEDY = {
    "endless loop": "def f(x):\n while True: pass",
    "endless script": "while True: pass\ndef f(x): return x",
    "endless loop that catches": "def f(x):\n while True:\n  try:\n   while True: pass\n  except: pass",
    "endless sum in C": "import itertools\ndef f(x): return sum(itertools.count())",
    "power": "def f(x): return len(bin(9**9**9))",
    "products": "def f(x):\n y = 3**10**6\n while True: y * y",
    "factorial": "import math\ndef f(x): return math.factorial(10**8)",
    "sorting": "def f(x):\n while True: sorted(str(i) for i in range(10**5))",
    "search for texts": "def f(x):\n s = 'ab' * 10**6 + 'b'\n while True: s.find('b' + 'ab' * 10**5 + 'aa')",
    "replacement of texts": "def f(x):\n s = 'a' * 10**6\n while True: s.replace('a', 'b').split('b')",
    "copies of nested lists": "import copy\ndef f(x):\n y = [[0] * 99 for i in range(99)]\n"
    " while True: copy.deepcopy(y)",
    "recursion without end": "def f(x): return f(x)",
    "recursion that branches": "def f(x, n=0): return f(x, n + 1) + f(x, n + 1) if n < 400 else 1",
    "recursion that catches": "def f(x):\n try: return f(x)\n except Exception: return f(x)",
    "list in one piece": "def f(x): return [0] * 10**10",
    "list in steps": "def f(x):\n y = []\n while True: y.append('a' * 10**6)",
    "list after a MemoryError": "def f(x):\n y = []\n while True:\n  try: y.append('a' * 9**7)\n"
    "  except MemoryError: pass",
    "text that doubles": "def f(x):\n s = 'a'\n while True: s += s",
    "nested lists without end": "def f(x):\n y = []\n while True: y = [y, y]",
    "dictionary": "def f(x):\n y = {}\n while True: y[len(y)] = str(len(y))",
    "all products": "from itertools import product\ndef f(x): return list(product(range(10), repeat=12))",
    "memory of a script": "y = 'a' * 10**10\ndef f(x): return x",
    "output of 100 MB": "def f(x): return 'a' * 10**8",
    "print of 100 MB": "def f(x):\n print('a' * 10**8)\n return 'a' * 10**8",
    "error of 100 MB": "def f(x): raise ValueError('a' * 10**8)",
    "output of many lists": "def f(x): return [[] for i in range(10**5)]",
    "source of 100 MB": "def f(x): return x\n" + "#" * 10**8,
    "source of many statements": "def f(x): return x\n" + "y = 1\n" * 10_000,
    "source of deep brackets": "def f(x): return " + "[" * 190 + "]" * 190,
    "source of a long sum": "def f(x): return " + "+".join("1" * 30_000),
    "source of a broken line": "def f(x): return " + "f(x[" * 90,
}
_PAST_CHECKS = {
    "sleep": "sys.modules['time'].sleep(60)",
    "sleep again and again": "\n while True: sys.modules['time'].sleep(0.01)",
    "loop with signals blocked": "\n libc.sigfillset(m := ctypes.create_string_buffer(128))\n"
    " libc.sigprocmask(0, m, None)\n while True: pass",
    "memory of the kernel": "\n while True: assert libc.mmap(None, 1 << 24, 3, 0x8022, -1, 0) != -1",
    "flood of 100 MB": "\n for i in range(1000): os.write(4, b'a' * 10**5)",
    "flood of lines": "\n while True: os.write(4, b'{}\\n' * 10**4)",
    "slow flood": "\n while True: os.write(4, b'a'); sys.modules['time'].sleep(0.01)",
}
PAST_CHECKS = {name: f"{PRELUDE} {body}\n" for name, body in _PAST_CHECKS.items()}
# Which of them no limit but a clock's ends.
TIMELESS = (
    *("endless loop", "endless script", "endless loop that catches", "endless sum in C", "power", "products"),
    *("factorial", "sorting", "search for texts", "replacement of texts", "copies of nested lists"),
    *("recursion that branches", "loop with signals blocked"),
)
