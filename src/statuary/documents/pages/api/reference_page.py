"""The reference: an OpenAPI document as one static page, without scripts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from markupsafe import Markup

from statuary.documents.document import Document
from statuary.documents.pages.contracts.lenient_json import as_list, as_object, as_text
from statuary.documents.pages.markdown import render_markdown
from statuary.documents.pages.rendering import renderer_of
from statuary.documents.pages.site_context import PageHead, SiteContext
from statuary.documents.pages.visible_text import one_line
from statuary.documents.url_table import OPENAPI, REFERENCE_PAGE
from statuary.domain.json_values import Json

METHODS = ("get", "head", "options", "put", "post", "delete", "patch")

MAX_TYPE_DEPTH = 4
"""Levels of a type that are spelled out."""


class FieldView(NamedTuple):
    """A parameter, or a member of an object."""

    name: str
    location: str  # `path`, `query` or `header` for a parameter
    type: str  # in the words of JSON Schema
    link: str  # the anchor of the type; empty if it has none
    required: bool
    description: Markup


class ResponseView(NamedTuple):
    """A response of an operation."""

    status: str
    description: Markup
    type: str
    link: str


class OperationView(NamedTuple):
    """An operation."""

    anchor: str
    method: str
    path: str
    summary: str
    description: Markup
    parameters: tuple[FieldView, ...]
    answers: tuple[ResponseView, ...]


class SchemaView(NamedTuple):
    """A type."""

    name: str
    description: Markup
    type: str  # empty for an object
    values: tuple[str, ...]
    fields: tuple[FieldView, ...]

    @property
    def is_described(self) -> bool:
        """Whether any member has a description."""
        return any(field.description for field in self.fields)


class ReferenceView(NamedTuple):
    """The content of the reference."""

    title: str
    version: str
    description: Markup
    operations: tuple[OperationView, ...]
    schemas: tuple[SchemaView, ...]
    json: str


def reference_page(openapi: Mapping[str, Json], site: SiteContext) -> Document:
    """Return the page of an OpenAPI document (3.0 or 3.1)."""
    renderer = renderer_of(site)
    info = as_object(openapi.get("info"))
    view = ReferenceView(
        title=one_line(as_text(info.get("title"))),
        version=one_line(as_text(info.get("version"))),
        description=_prose(info),
        operations=tuple(_operations(openapi)),
        schemas=tuple(
            _schema(name, as_object(schema))
            for name, schema in as_object(as_object(openapi.get("components")).get("schemas")).items()
        ),
        json=OPENAPI.path(),
    )
    texts = renderer.localization.texts
    head = PageHead(
        path=REFERENCE_PAGE.path(),
        title=texts("reference.title"),
        description=texts("reference.page", name=site.name),
        section="api",
    )
    return renderer.page(REFERENCE_PAGE, "reference.html", head, view)


def _operations(openapi: Mapping[str, Json]) -> Iterator[OperationView]:
    for path, item in as_object(openapi.get("paths")).items():
        shared = as_list(as_object(item).get("parameters"))
        for method in METHODS:
            operation = as_object(as_object(item).get(method))
            if not operation:
                continue
            parameters = [*shared, *as_list(operation.get("parameters"))]
            yield OperationView(
                anchor=f"{method}{path}".replace("{", "").replace("}", "").replace("/", "-"),
                method=method.upper(),
                path=one_line(path),
                summary=one_line(as_text(operation.get("summary"))),
                description=_prose(operation),
                parameters=tuple(_parameter(one, openapi) for one in parameters),
                answers=tuple(_answers(as_object(operation.get("responses")), openapi)),
            )


def _parameter(value: Json, openapi: Mapping[str, Json]) -> FieldView:
    parameter = _resolved(value, openapi)
    kind, link = _type(parameter.get("schema"), 0)
    return FieldView(
        name=one_line(as_text(parameter.get("name"))),
        location=one_line(as_text(parameter.get("in"))),
        type=kind,
        link=link,
        required=parameter.get("required") is True,
        description=_prose(parameter),
    )


def _answers(responses: Mapping[str, Json], openapi: Mapping[str, Json]) -> Iterator[ResponseView]:
    for status, value in responses.items():
        response = _resolved(value, openapi)
        content = as_object(response.get("content"))
        schema = next((as_object(one).get("schema") for one in content.values()), None)
        kind, link = _type(schema, 0)
        media_types = ", ".join(one_line(media_type) for media_type in content)
        shown = f"{kind} ({media_types})" if kind and media_types else media_types
        yield ResponseView(status=one_line(status), description=_prose(response), type=shown, link=link)


def _schema(name: str, schema: Mapping[str, Json]) -> SchemaView:
    required = as_list(schema.get("required"))
    properties = as_object(schema.get("properties"))
    return SchemaView(
        name=one_line(name),
        description=_prose(schema),
        type="" if properties else _type(schema, 0)[0],
        values=tuple(one_line(str(value)) for value in as_list(schema.get("enum"))),
        fields=tuple(
            _member(member, as_object(value), required=member in required)
            for member, value in properties.items()
        ),
    )


def _member(name: str, schema: Mapping[str, Json], *, required: bool) -> FieldView:
    kind, link = _type(schema, 0)
    return FieldView(
        name=one_line(name), location="", type=kind, link=link, required=required, description=_prose(schema)
    )


def _type(value: Json, depth: int) -> tuple[str, str]:
    """Return the type of a schema in words, and the anchor of the first type of the page that it names."""
    schema = as_object(value)
    reference = as_text(schema.get("$ref"))
    if reference:
        name = one_line(reference.rpartition("/")[2])
        return name, f"schema-{name}"
    choices = [*as_list(schema.get("anyOf")), *as_list(schema.get("oneOf")), *as_list(schema.get("allOf"))]
    if choices and depth < MAX_TYPE_DEPTH:
        return _choice(_type(choice, depth + 1) for choice in choices)
    values = as_list(schema.get("enum"))
    if values:
        return " or ".join(f'"{one_line(str(one))}"' for one in values), ""
    return _plain_type(schema, depth)


def _choice(types: Iterable[tuple[str, str]]) -> tuple[str, str]:
    names, links = zip(*types, strict=True)
    return " or ".join(filter(None, names)), next(filter(None, links), "")


def _plain_type(schema: Mapping[str, Json], depth: int) -> tuple[str, str]:
    kind = schema.get("type")
    words = " or ".join(map(one_line, map(as_text, kind))) if isinstance(kind, list) else as_text(kind)
    if "const" in schema:
        return f'"{one_line(str(schema["const"]))}"', ""
    if "items" in schema and depth < MAX_TYPE_DEPTH:
        item, link = _type(schema.get("items"), depth + 1)
        return f"array of {item}" if item else "array", link
    if isinstance(schema.get("additionalProperties"), Mapping) and depth < MAX_TYPE_DEPTH:
        item, link = _type(schema.get("additionalProperties"), depth + 1)
        return f"object of {item}" if item else "object", link
    form = as_text(schema.get("format"))
    return (f"{words} ({one_line(form)})" if form else words), ""


def _resolved(value: Json, openapi: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the target of a reference within the document, or the value itself."""
    reference = as_text(as_object(value).get("$ref"))
    if not reference.startswith("#/"):
        return as_object(value)
    found: Json = openapi
    for part in reference[2:].split("/"):
        found = as_object(found).get(part.replace("~1", "/").replace("~0", "~"))
    return as_object(found)


def _prose(value: Mapping[str, Json]) -> Markup:
    return render_markdown(as_text(value.get("description")), 4)
