"""Programs that go for a gadget: code of Python's own that reads or writes an attribute for its caller.

Each returns something where it works. `WRITTEN` programs are refused before they run, with the line; `BUILT`
ones use nothing but what the allow-lists name, so that what those names mean has to hold them.
"""

_MEMO = (
    "import math\nfrom copy import deepcopy\ndef f(x):\n chosen = [str.join, str, 'join', f, '__globals__']\n"
    " memo = {make}\n return str(deepcopy(str.join, memo))\n"
)
_GIVEN = "lambda key, default=None: chosen.pop(3) if len(chosen) > 3 else default"
_REDUCED = "'__reduce_ex__': lambda p: (lambda: f, (), (None, {'__doc__': 'set by name'}))"

BUILT = {
    # the first gadget of the issue: a memo that answers what the caller chose
    "deepcopy with a memo of attributes": _MEMO.format(make=f"type(math)(get={_GIVEN})"),
    "deepcopy with a memo of a dictionary": _MEMO.format(make="{}"),
    "deepcopy with a memo by name": "from copy import deepcopy\ndef f(x): return deepcopy(x, memo={})",
    "deepcopy with a counter as memo": "from collections import Counter\nfrom copy import deepcopy\n"
    "def f(x): return deepcopy(x, Counter())",
    # the second one: an object whose reduction the guest wrote
    "copy of an object that is reduced as told": "import copy, math\ndef f(x):\n"
    f" return str(copy.copy(type(math)(**{{{_REDUCED}}})))",
    "deepcopy of an object that is reduced as told": "import copy, math\ndef f(x):\n"
    f" return str(copy.deepcopy(type(math)(**{{{_REDUCED}}})))",
    # what the standard copy reduces by getattr and iter
    "copy of a method of a class": "import copy\ndef f(x): return str(copy.copy(str.join))",
    "deepcopy of a bound method": "import copy\ndef f(x): return str(copy.deepcopy([[1].append]))",
    "copy of an iterator": "import copy\ndef f(x): return str(copy.copy(iter([1])))",
    "copy of an exception": "import copy\ndef f(x): return str(copy.copy(ValueError('a')))",
    "copy of a generic class": "import copy\ndef f(x): return str(copy.copy(list[int]))",
    "copy of a module": "import copy, math\ndef f(x): return str(copy.copy(math))",
    "copy of a key": "import copy, functools\ndef f(x): return str(copy.copy(functools.cmp_to_key(f)(1)))",
    # classes that make objects with attributes, functions or classes
    "class of a module": "import math\ndef f(x): return str(type(math)(a=1))",
    "class of a module by import": "import json as m\ndef f(x): return str(type(m))",
    "class of a generic class": "def f(x): return str(type(list[int])(f, ()))",
    "class of a union": "def f(x): return str(type(int | str))",
    "class of a function": "def f(x): return str(type(f))",
    "class of a lambda": "def f(x): return str(type(lambda: 1))",
    "class of a generator": "def f(x): return str(type(i for i in x))",
    "class of a bound method": "def f(x): return str(type(x.append))",
    "class of a class": "def f(x): return str(type(int))",
    "class of the function type": "def f(x): return str(type(type))",
    "class of an iterator": "import itertools\ndef f(x): return str(type(itertools.count()))",
    "class of an exception with attributes": "def f(x):\n try: x.upper()\n"
    " except Exception as e: return str(type(e)(name='a', obj=f))",
    "class of a key ": "import functools\ndef f(x): return str(type(functools.cmp_to_key(f)))",
    "class by a counter": "from collections import Counter\ndef f(x): return str(Counter.copy(int))",
    "class by a counter, made": "from collections import Counter\n"
    "def f(x): return str(Counter.copy(int)('T', (), {'__reduce_ex__': f}))",
    "class by a counter of a class of its own": "from collections import Counter\n"
    "def f(x): return str(type(Counter('a') + Counter('b')).copy(type(x)))",
    "class by map": "from collections import Counter\ndef f(x): return str(list(map(Counter.copy, [int])))",
    "class by a generic counter": "from collections import Counter\n"
    "def f(x): return str(Counter[int].copy(int))",
    "class of three": "def f(x): return str(type('T', (), {'__call__': f}))",
    # objects that take over attributes of what they wrap
    "cache of a class": "from collections import Counter\nfrom functools import cache\n"
    "def f(x): return str(cache(Counter).most_common)",
    "lru_cache of a class": "from collections import Counter\nfrom functools import lru_cache\n"
    "def f(x): return str(lru_cache(maxsize=None)(Counter).copy(int))",
    "attribute of a function": "def f(x): return f.append",
    # encoders and decoders that are called as the guest says
    "encoder of the guest": "import json\ndef f(x): return json.dumps(x, cls=lambda **k: 'a')",
    "decoder of the guest": "import json\ndef f(x): return json.loads('1', cls=lambda **k: 'a')",
    "hook of the guest": "import json\ndef f(x): return json.loads('{}', object_hook=lambda d: 'hooked')",
    # texts that are read as formats
    "format in a filled field": "def f(x): return '{0:{1}}'.format(x, '{0.__class__}')",
    "format by percent": "def f(x): return '%(__class__)s' % {'a': x}",
    "format of a number": "def f(x): return format(1, '{0.__class__}')",
    "name of a module": "import math\nfrom math import pi\ndef f(x): return str(math.append)",
}

WRITTEN = {
    "reduce": "def f(x): return str(f.__reduce_ex__(4))",
    "attrgetter": "from operator import attrgetter\ndef f(x): return attrgetter('__globals__')(f)",
    "methodcaller": "from operator import methodcaller\ndef f(x): return methodcaller('__reduce__')(f)",
    "namedtuple": "from collections import namedtuple\ndef f(x): return str(namedtuple('T', 'get')(f))",
    "chain of maps": "from collections import ChainMap\ndef f(x): return str(ChainMap.copy(int))",
    "maps of a chain": "import collections\ndef f(x): return collections.ChainMap({}).maps",
    "user dictionary": "from collections import UserDict\ndef f(x): return str(UserDict(a=1).data)",
    "dataclass": "from dataclasses import make_dataclass\ndef f(x): return str(make_dataclass('T', ['get']))",
    "enumeration": "from enum import Enum\ndef f(x): return str(Enum('T', 'get'))",
    "namespace": "from types import SimpleNamespace\ndef f(x): return str(SimpleNamespace(get=f))",
    "wraps": "from functools import wraps\ndef f(x): return str(wraps(f)(f))",
    "single dispatch": "from functools import singledispatch\n"
    "def f(x): return str(singledispatch(f).registry)",
    "cached property": "from functools import cached_property\ndef f(x): return str(cached_property(f).func)",
    "replace of copy": "from copy import replace\ndef f(x): return str(replace(x))",
    "JSON's encoder": "import json\ndef f(x): return str(json.JSONEncoder(default=f).default)",
    "template": "from string import Template\ndef f(x): return Template('$a').substitute(a=1)",
    "formatter": "import string\ndef f(x): return string.Formatter().get_field('0.__class__', [x], {})",
    "function of a partial": "from functools import partial\ndef f(x): return str(partial(f).func)",
    "keywords of a partial": "from functools import partial\ndef f(x): return partial(f, a=1).keywords",
    "state of a partial": "from functools import partial\n"
    "def f(x): return partial(f).__setstate__((f, (), {}, {}))",
    "what a cache wraps": "from functools import cache\ndef f(x): return str(cache(f).__wrapped__)",
    "parameters of a cache": "from functools import lru_cache\n"
    "def f(x): return lru_cache(f).cache_parameters()",
    "object of a key": "import functools\ndef f(x): return str(functools.cmp_to_key(f)(x).obj)",
    "factory of a dictionary": "from collections import defaultdict\n"
    "def f(x): return defaultdict(f).default_factory",
    "frame of a running generator": "def f(x):\n g = (i for i in x)\n return str(g.gi_frame.f_builtins)",
    "generator inside a generator": "def f(x):\n"
    " def g(): yield from h\n h = g()\n return str(h.gi_yieldfrom)",
    "send to a generator": "def f(x):\n def g(): y = yield 1; yield y\n h = g()\n return h.send(None)",
    "throw into a generator": "def f(x): return (i for i in x).throw(ValueError)",
    "frame of a coroutine": "def f(x):\n async def g(): pass\n return str(g().cr_frame)",
    "frame of an asynchronous generator": "def f(x):\n async def g(): yield 1\n return str(g().ag_frame)",
    "traceback": "def f(x):\n try: 1 / 0\n except Exception as e: return str(e.__traceback__)",
    "frame of a traceback": "def f(x):\n try: 1 / 0\n except Exception as e: return str(e.tb_frame)",
    "object of an AttributeError": "def f(x):\n try: x.upper()\n except Exception as e: return str(e.obj)",
    "context of an exception": "def f(x):\n try: 1 / 0\n except Exception as e: return str(e.__context__)",
    "note of an exception": "def f(x):\n e = ValueError()\n e.add_note('a')\n return str(e)",
    "trace of an exception": "def f(x): raise ValueError().with_traceback(None)",
    "named error": "def f(x): return str(AttributeError(name='a', obj=f))",
    "import error": "def f(x): return str(ImportError(name='a', path='b'))",
    "metaclass": "class T(metaclass=type): pass\ndef f(x): return str(T)",
    "class with dunder methods": "class T:\n def __reduce_ex__(self, p): return f, ()\n"
    "def f(x): return str(T())",
    "class in a function": "def f(x):\n class T: get = f\n return str(T)",
    "class pattern of positions": "def f(x):\n match x:\n  case list(y): return y\n return 1",
    "class pattern of a dunder": "def f(x):\n match x:\n  case list(__class__=y): return str(y)\n return 1",
    "pattern of a value": "import math\ndef f(x):\n match x:\n  case math.__loader__: return 1\n return 2",
    "f-string of an attribute": "def f(x): return f'{f.__globals__}'",
    "f-string in a format": "def f(x): return f'{x!r:{f.__code__}}'",
    "format of a joined text": "def f(x): return ('{0.__' + 'class__}').format(x)",
    "format of an f-string": "def f(x): return f'{{0.__class__}}'.format(x)",
    "format with a mapping": "def f(x): return '{a.__class__}'.format_map({'a': 1})",
    "format as a key": "def f(x): return sorted(x, key=str.format)",
    "except star": "def f(x):\n try: 1 / 0\n except* ZeroDivisionError as e: return str(e.exceptions)",
    "decorator of an attribute": "@f.__class__\ndef f(x): return x",
    "decorator of a builtin": "@staticmethod\ndef f(x): return x",
    "walrus of a builtin": "def f(x): return [y := getattr, str(y)][1]",
    "walrus to a builtin": "def f(x): return str(open := x)",
    "star import": "from collections import *\ndef f(x): return str(namedtuple)",
    "import as a builtin": "import math as getattr\ndef f(x): return str(getattr)",
    "name as a builtin": "from json import dumps as eval\ndef f(x): return eval(x)",
    "module in a module": "import json.decoder\ndef f(x): return str(json)",
    "attribute in an assignment": "def f(x):\n f.append = x\n return f.append",
    "attribute in a loop": "def f(x):\n for f.append in x: pass\n return f.append",
    "attribute in a star": "def f(x):\n [f.append, *y] = x\n return f.append",
    "attribute in a sum": "def f(x):\n f.count += 1\n return 1",
    "attribute with a type": "def f(x):\n f.count: int = 1\n return 1",
    "attribute deleted": "def f(x):\n del f.count\n return 1",
    "attribute of an import": "import math\ndef f(x):\n math.pi = 3\n return 1",
    "builtins by nonlocal": "def f(x):\n __builtins__ = x\n def g():\n  nonlocal __builtins__\n return 1",
    "builtins in a comprehension": "def f(x): return [__builtins__ for __builtins__ in x]",
    "builtins as a parameter": "def f(x): return (lambda __builtins__: __builtins__)(x)",
    "name of nobody": "def f(x): return unknown_name",
    "type parameter": "def f[T](x): return str(T.__bound__)",
    "type statement": "type T = f.__globals__\ndef f(x): return str(T.__value__)",
}

GADGETS = BUILT | WRITTEN
