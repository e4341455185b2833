"""The names and attributes that authored code may use; all others are refused before it runs.

Plain lists, read by parent and guest: `perennial.tasks.sandbox.refusal` holds code to them, `proxies` builds
what they name. `callbacks.toml` says of each name what of the guest's it calls back, and why that leads
nowhere.
"""

import builtins

# Without open, exec, eval, compile, getattr, object, super, input, hash, id, and what makes classes.
_BUILTINS = """
abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float
format frozenset hex int isinstance issubclass iter len list map max min next oct ord pow print range repr
reversed round set slice sorted str sum tuple type zip ArithmeticError AssertionError Exception IndexError
KeyError LookupError MemoryError NotImplementedError OverflowError RecursionError RuntimeError StopIteration
TypeError UnicodeError ValueError ZeroDivisionError
"""
BUILTINS = frozenset(_BUILTINS.split())
# Names of Python's own that code may neither read nor give to something of its own; site adds the last ones.
REFUSED = frozenset(name for name in dir(builtins) if name not in BUILTINS and not name.startswith("_")) | {
    *("copyright", "credits", "exit", "help", "license", "quit")
}

_ITERTOOLS = """
accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse
groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest
"""
_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1
fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma
log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt sumprod tan tanh tau
trunc ulp
"""
_STRING = """
ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits printable punctuation whitespace
"""
MODULES: dict[str, frozenset[str]] = {
    "collections": frozenset(("Counter", "OrderedDict", "defaultdict", "deque")),
    "copy": frozenset(("copy", "deepcopy")),
    "functools": frozenset(("cache", "cmp_to_key", "lru_cache", "partial", "reduce")),
    "itertools": frozenset(_ITERTOOLS.split()),
    "json": frozenset(("dumps", "loads")),
    "math": frozenset(_MATH.split()),
    "string": frozenset(_STRING.split()),
}

# Methods of texts, numbers, lists, dictionaries, sets, bytes and the classes of collections, and the numbers
# of a number. `format` has a rule of its own (`perennial.tasks.sandbox.refusal`).
_METHODS = """
capitalize casefold center count encode endswith expandtabs find format index isalnum isalpha isascii
isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip
maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split
splitlines startswith strip swapcase title translate upper zfill
append clear copy extend insert pop remove reverse sort
fromkeys get items keys popitem setdefault update values
add difference difference_update discard intersection intersection_update isdisjoint issubset issuperset
symmetric_difference symmetric_difference_update union
as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes
decode fromhex hex
appendleft extendleft popleft rotate
elements most_common move_to_end subtract total
from_iterable args
"""
ATTRIBUTES = frozenset(_METHODS.split()).union(*MODULES.values())
