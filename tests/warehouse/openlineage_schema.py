"""Check OpenLineage events against JSON schemas made from the client's generated classes.

The client ships no JSON schema, but classes generated from the published ones, each with the URL of the
version that it was made from. What a class demands is demanded here: its fields, their types, formats and
enumerations, what is required, and that nothing else is there. Bounds of numbers and patterns of texts, if
a published schema has any, are lost.
"""

import types
import typing
from enum import Enum
from functools import cache
from typing import Any, Union
from urllib.parse import urlsplit

import attr
from jsonschema import Draft202012Validator, FormatChecker
from openlineage.client import facet_v2
from openlineage.client.event_v2 import RunEvent

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}
_FORMATS = {
    "runId": "uuid",
    **dict.fromkeys(("eventTime", "nominalStartTime", "nominalEndTime"), "date-time"),
    **dict.fromkeys(("producer", "schemaURL", "_producer", "_schemaURL"), "uri"),
}
# Set by the classes themselves, so that their fields have defaults.
_ALWAYS = {"producer", "schemaURL", "_producer", "_schemaURL"}
_KINDS = {
    "run": facet_v2.RunFacet,
    "job": facet_v2.JobFacet,
    "dataset": facet_v2.DatasetFacet,
    "input": facet_v2.InputDatasetFacet,
    "output": facet_v2.OutputDatasetFacet,
}
_KEYS = {"DatasetVersionDatasetFacet": "version", "ProcessingEngineRunFacet": "processing_engine"}
_formats = FormatChecker()


@_formats.checks("uri")
def _is_uri(value: object) -> bool:
    text = str(value)
    return bool(urlsplit(text).scheme) and not any(character.isspace() for character in text)


def problems(event: dict[str, Any]) -> list[str]:
    """Return what is wrong with an event, a line a finding."""
    found = _findings(RunEvent, event)
    bags = [("run", event["run"]), ("job", event["job"])]
    bags += [("dataset", dataset) for dataset in (*event["inputs"], *event["outputs"])]
    for kind, holder in bags:
        found += _facet_problems(kind, holder.get("facets", {}))
    for dataset in event["inputs"]:
        found += _facet_problems("input", dataset.get("inputFacets", {}))
    for dataset in event["outputs"]:
        found += _facet_problems("output", dataset.get("outputFacets", {}))
    return found


def _facet_problems(kind: str, facets: dict[str, Any]) -> list[str]:
    found = []
    for key, facet in facets.items():
        made_of = _facet_classes().get(facet["_schemaURL"])
        if made_of is None or not issubclass(made_of, _KINDS[kind]) or key != _key(made_of):
            found.append(f"{kind} facet {key}: {facet['_schemaURL']} is none of these")
        else:
            found += _findings(made_of, facet)
    return found


def _findings(made_of: type, value: dict[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in _validator(made_of).iter_errors(value)]


@cache
def _facet_classes() -> dict[str, type]:
    modules = [getattr(facet_v2, name) for name in facet_v2.__all__]
    classes = [
        value
        for module in modules
        if isinstance(module, types.ModuleType)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, facet_v2.BaseFacet)
    ]
    return {made_of._get_schema(): made_of for made_of in classes}


def _key(made_of: type) -> str:
    """Return the key under which the published schema puts the facet."""
    if made_of.__name__ in _KEYS:
        return _KEYS[made_of.__name__]
    bare = made_of.__name__
    for suffix in ("InputDatasetFacet", "OutputDatasetFacet", "DatasetFacet", "RunFacet", "JobFacet"):
        bare = bare.removesuffix(suffix)
    return bare[0].lower() + bare[1:]


@cache
def _validator(made_of: type) -> Draft202012Validator:
    definitions: dict[str, Any] = {}
    schema = {**_reference(made_of, definitions), "$defs": definitions}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=_formats)


def _reference(made_of: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a reference to the class's schema, which is added to the definitions: classes may nest."""
    name = f"{made_of.__module__}.{made_of.__qualname__}"
    if name not in definitions:
        definitions[name] = {}
        hints = typing.get_type_hints(made_of)
        fields = attr.fields(made_of)
        definitions[name] = {
            "type": "object",
            "properties": {f.name: _schema(hints[f.name], f.name, definitions) for f in fields},
            "required": [f.name for f in fields if f.default is attr.NOTHING or f.name in _ALWAYS],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


def _schema(hint: Any, name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        (hint,) = [argument for argument in arguments if argument is not type(None)]
        return _schema(hint, name, definitions)
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], "", definitions)}
    if origin is dict:
        facets = isinstance(arguments[1], type) and issubclass(arguments[1], facet_v2.BaseFacet)
        # Facets are checked one by one, each by its own class.
        return {"type": "object", "additionalProperties": facets or _schema(arguments[1], "", definitions)}
    if issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if attr.has(hint):
        return _reference(hint, definitions)
    return {"type": _PLAIN[hint], **({"format": _FORMATS[name]} if name in _FORMATS else {})}
