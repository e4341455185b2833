"""Render the templates of this folder, and hash them so that a model call can be traced to its wording."""

from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING

from perennial.schemas.errors import InvalidOption
from perennial.schemas.ids import content_id

if TYPE_CHECKING:
    from jinja2 import Environment, FileSystemLoader, Template


def render(template: str, /, **values: object) -> str:
    """The text of a template, such as `kumo/players/system.md.j2`, filled with the values.

    Raises InvalidOption for a template that does not exist, and jinja2's UndefinedError where a value
    that the template uses is missing. Values are text to be shown: template syntax in them stays as it is.
    """
    return _template(template).render(values)


@lru_cache(maxsize=256)
def template_hash(template: str) -> str:
    """The content id of a template together with all templates that it includes or imports.

    Raises InvalidOption for a template that does not exist.
    """
    return content_id("tpl", sorted(_sources(template).items()))


def template_names() -> list[str]:
    """The names of all templates that are installed, sorted."""
    return _environment().list_templates(extensions=["j2"])


@lru_cache(maxsize=256)
def _template(name: str) -> "Template":
    from jinja2 import TemplateNotFound

    try:
        return _environment().get_template(name)
    except TemplateNotFound:
        raise _unknown(name) from None


def _sources(name: str) -> dict[str, str]:
    from jinja2 import TemplateNotFound, meta

    environment = _environment()
    assert environment.loader is not None
    sources: dict[str, str] = {}
    pending = [name]
    while pending:
        current = pending.pop()
        if current in sources:
            continue
        try:
            sources[current], _, _ = environment.loader.get_source(environment, current)
        except TemplateNotFound:
            raise _unknown(current) from None
        references = meta.find_referenced_templates(environment.parse(sources[current]))
        pending.extend(reference for reference in references if reference is not None)
    return sources


def _unknown(name: str) -> InvalidOption:
    return InvalidOption(f"template {name!r} is not known: use one of {', '.join(template_names())}")


def _elsewhere() -> "dict[str, FileSystemLoader]":
    """Loaders of other packages' templates: in folder `prompts` beside what an entry point names.

    That of benchmark `toy` gives `toy/NAME`.
    """
    from jinja2 import FileSystemLoader

    found = {}
    for entry in entry_points(group="perennial.benchmarks"):
        spec = find_spec(entry.module.rpartition(".")[0] or entry.module)
        folders = [f"{place}/prompts" for place in (spec and spec.submodule_search_locations) or ()]
        found[entry.name] = FileSystemLoader(folders)
    return found


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    # Imported here: jinja2 costs 60 ms, which a command that renders nothing should not pay.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    from perennial.prompts import wording

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("perennial.prompts", "."), PrefixLoader(_elsewhere())]),
        undefined=StrictUndefined,
        autoescape=False,  # the output is Markdown for people and models, never HTML
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        plural=wording.plural,
        with_article=wording.with_article,
        capital=wording.capital,
        sentence=wording.sentence,
        one_line=wording.one_line,
        paragraph=wording.paragraph,
    )
    return environment
