"""JSON Schemas of the source files, for editors."""

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from textwrap import dedent
from typing import Any

from pydantic import TypeAdapter

from statuary.base.json_values import Json
from statuary.contracts.model.record import Record
from statuary.engine.extension_settings import extension_models
from statuary.engine.site_source import SiteSource
from statuary.registry import CONTENT_SECTIONS, CONTRACTS, STATUS, load
from statuary.site.pages_and_theme import PageFile
from statuary.source.file_kinds import FileKind, pattern_of
from statuary.source.source_model import SourceModel

SCHEMA_MODELS: dict[str, tuple[FileKind, type[SourceModel] | None]] = {
    "site": (FileKind.SITE, SiteSource),
    **load(STATUS.section).schemas(),
    "page": (FileKind.PAGE, PageFile),
    **load(CONTRACTS.section).schemas(),
}
"""By name of the schema. A record is its own wire format and has no source model."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(name: str) -> Json:
    """Return the JSON Schema (2020-12) for a kind of content file.

    Args:
        name: the name of the schema, one of `SCHEMA_MODELS`.
    """
    kind, model = SCHEMA_MODELS[name]
    schema = TypeAdapter(Record).json_schema() if model is None else _schema_with_descriptions(model)
    if model is SiteSource:
        schema = _with_extensions(schema)
    return {
        "$schema": DIALECT,
        "title": pattern_of(kind).pattern,
        **{key: schema[key] for key in schema if key != "title"},
    }


def _schema_with_descriptions(model: type[SourceModel]) -> dict[str, Any]:
    """Return a model's JSON Schema, with docstrings as descriptions.

    Pydantic can read these docstrings itself, but does so at import, which would make every command start a
    third slower.
    """
    schema: dict[str, Any] = TypeAdapter(model).json_schema()
    models = {descendant.__name__: descendant for descendant in _descendants(SourceModel)}
    for name, part in {model.__name__: schema, **schema.get("$defs", {})}.items():
        for key, text in _key_docstrings(models[name]) if name in models else ():
            part["properties"][key]["description"] = text
    return schema


def _with_extensions(schema: dict[str, Any]) -> dict[str, Any]:
    sections = [_schema_with_descriptions(load(row.section).settings_model()) for row in CONTENT_SECTIONS]
    extensions = map(_schema_with_descriptions, extension_models(SiteSource.known_keys()).values())
    parts = [schema, *sections, *extensions]
    properties = {key: value for part in parts for key, value in part["properties"].items()}
    models = {name: value for part in parts for name, value in part.get("$defs", {}).items()}
    return schema | {
        "$defs": {name: models[name] for name in sorted(models)},
        "properties": {key: properties[key] for key in SiteSource.known_keys()},
        "required": [key for part in sections for key in part.get("required", ())],
    }


def _descendants(model: type[SourceModel]) -> Iterator[type[SourceModel]]:
    for child in model.__subclasses__():
        yield child
        yield from _descendants(child)


def _key_docstrings(model: type[SourceModel]) -> Iterator[tuple[str, str]]:
    for owner in model.__mro__:
        if not issubclass(owner, SourceModel) or owner is SourceModel:
            continue
        (declared,) = ast.parse(dedent(inspect.getsource(owner))).body
        for field, docstring in pairwise(declared.body if isinstance(declared, ast.ClassDef) else []):
            match field, docstring:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=text)):
                    yield model.model_fields[name].alias or name, inspect.cleandoc(str(text))
