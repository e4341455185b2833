"""The settings that are environment variables, and the variables that are none."""

import os
from collections.abc import Mapping

from perennial.schemas.benchmark import Declaration, benchmarks
from perennial.schemas.errors import InvalidOption, find_alike, shorten
from perennial.schemas.settings.form import WIDTH
from perennial.schemas.variables import PREFIX, is_claimed


def variable_of(name: str, benchmark: str = "") -> str:
    """The environment variable of a setting; with a benchmark, of that benchmark only."""
    return f"{PREFIX}{benchmark}{'_' if benchmark else ''}{name}".upper()


def read_variables(benchmark: Declaration) -> dict[str, tuple[str, str]]:
    """Variable and value of each setting of the benchmark that the environment has, by name.

    Raises InvalidOption for a variable that begins with PERENNIAL_ and is no setting of any benchmark: one
    that is misspelt would be passed over otherwise.
    """
    form = benchmark.settings()
    fields = form.own_fields()
    names = {name: variable_of(name, benchmark.name if name in fields else "") for name in form.model_fields}
    for variable in sorted(filter(is_claimed, os.environ)):
        if variable not in names.values() and not _is_of_another(variable, benchmark):
            raise InvalidOption(_describe_unknown(variable, benchmark.name, names, fields))
    return {
        name: (variable, os.environ[variable]) for name, variable in names.items() if variable in os.environ
    }


def _is_of_another(variable: str, benchmark: Declaration) -> bool:
    for other in benchmarks().values():
        if other.name != benchmark.name and variable.startswith(variable_of("", other.name)):
            return any(variable == variable_of(name, other.name) for name in other.settings().own_fields())
    return False


def _describe_unknown(variable: str, benchmark: str, names: Mapping[str, str], fields: set[str]) -> str:
    # Its value is not shown: it may be a key.
    printed = shorten(variable if variable.isprintable() else repr(variable), WIDTH)
    name = variable.removeprefix(PREFIX).lower()
    if name in fields:
        return f"{printed}: {name} is a setting of the benchmark {benchmark}: set {names[name]} instead"
    # A benchmark's own setting is meant with and without the benchmark's name.
    meant = {
        alias: setting_name
        for field, setting_name in names.items()
        for alias in (field, setting_name.removeprefix(PREFIX).lower())
    }
    alike = find_alike(name, meant)
    return f"{printed}: there is no such setting" + (f"; did you mean {meant[alike]}?" if alike else "")
