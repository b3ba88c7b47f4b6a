"""The API page: every call with parameters, responses and examples."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.engine.openapi.document import extension_apis
from statuary.section import ContentSection, Run
from statuary.site.document import Document
from statuary.site.operations import operation_title
from statuary.site.pages.markdown import render_markdown
from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import PageHead, SiteContext, section_url, site_context
from statuary.site.site_content import SiteContent
from statuary.site.urls import IMMUTABLE, OPENAPI, PATTERN_PARTS, REFERENCE_PAGE, SHORT_LIVED, Url


class ApiCall(NamedTuple):
    """A call of the API, as the API page shows it."""

    anchor: str
    title: str
    method: str
    path: str
    description: Markup
    parameters: tuple["FieldView", ...]
    answers: tuple["ResponseView", ...]
    media_type: str
    cache: str  # how long clients may cache the response, in words
    example: str  # an existing document, relative to the site's root; empty if there is none


class CallFamily(NamedTuple):
    """A group of related calls on the API page."""

    key: str
    title: str
    about: str
    calls: tuple[ApiCall, ...]


class ApiView(NamedTuple):
    """The values that the template of the API page needs."""

    base: str
    counts: tuple[str, ...]  # the contents of the site, in words
    chains: tuple[tuple[str, str, str], ...]
    families: tuple[CallFamily, ...]
    schemas: tuple["SchemaView", ...]
    openapi: str  # the path of the OpenAPI document; empty if there is none


def api_page(site: SiteContent, run: Run, openapi: Mapping[str, Json]) -> Document:
    """Render the page that describes the site's APIs.

    Args:
        openapi: the OpenAPI document (3.1); empty if it could not be made.
    """
    renderer = renderer_of(site_context(site))
    texts = renderer.localization.texts
    operations = {
        _without_parameter_names(operation.path): operation for operation in _operation_views(openapi)
    }
    facts = [section.api_facts(site) for section in run.sections_of(ContentSection)]

    def calls(urls: Sequence[Url], examples: Sequence[str]) -> tuple[ApiCall, ...]:
        return tuple(_api_calls(urls, examples, operations, texts))

    view = ApiView(
        base=site.page.url,
        counts=tuple(texts.count(key, number) for fact in facts for key, number in fact.counts),
        chains=tuple(
            (one_line(title), chain_id, texts.count("contracts.count", number))
            for fact in facts
            for title, chain_id, number in fact.chains
        ),
        families=tuple(
            CallFamily(key, texts(f"api.family.{key}"), texts(f"api.about.{key}"), calls(urls, fact.examples))
            for fact in facts
            for key, urls in fact.endpoints.items()
        )
        + _extension_call_families(run, calls),
        schemas=tuple(_schema_views(openapi)),
        openapi=OPENAPI.path() if openapi else "",
    )
    url = section_url("api", site.pages)
    head = PageHead(
        path=url.path(),
        title=texts("api.title"),
        description=texts("api.page", name=renderer.site.name),
        section="api",
    )
    return renderer.page(url, "api.html", head, view)


def _schema_views(openapi: Mapping[str, Json]) -> Iterator["SchemaView"]:
    for name, schema in as_object(as_object(openapi.get("components")).get("schemas")).items():
        yield _schema_view(name, as_object(schema))


def _extension_call_families(
    run: Run, calls: Callable[[Sequence[Url], Sequence[str]], tuple[ApiCall, ...]]
) -> tuple[CallFamily, ...]:
    return tuple(
        CallFamily(api.tag, api.tag.capitalize(), api.description, calls(urls, examples))
        for api in extension_apis(run)
        for urls, examples in [zip(*((call.url, call.example) for call in api.operations), strict=True)]
    )


def reference_page(site: SiteContext) -> Document:
    """Make a page that redirects from the API page's former address.

    Args:
        site: the settings that all pages share.
    """
    renderer = renderer_of(site)
    texts = renderer.localization.texts
    head = PageHead(
        path=REFERENCE_PAGE.path(),
        title=texts("reference.title"),
        description=texts("api.page", name=site.name),
        section="api",
    )
    target = section_url("api", site.settings).path()
    return renderer.page(REFERENCE_PAGE, "reference.html", head, target)


def _without_parameter_names(path: str) -> str:
    """Remove the names of parameters from a path.

    The URL table and the specification name them differently.
    """
    return re.sub(r"\{[^}]*\}", "{}", path)


def _api_calls(
    urls: Iterable[Url], paths: Sequence[str], operations: Mapping[str, "OperationView"], texts: PageTexts
) -> Iterator[ApiCall]:
    used: set[str] = set()
    for url in urls:
        # The URL pattern of a list's numbered pages also matches the first page. So take a path that is not
        # an example already.
        example = next((path for path in _matching_paths(url, paths) if path not in used), "")
        used.add(example)
        if not example and "{" not in url.pattern:
            continue
        operation = operations.get(_without_parameter_names(f"/{url.pattern}")) or _default_operation(url)
        yield ApiCall(
            anchor=operation.anchor,
            title=operation.summary or operation_title(url),
            method=operation.method,
            path=operation.path,
            description=operation.description,
            parameters=operation.parameters,
            answers=operation.answers,
            media_type=url.media_type.partition(";")[0],
            cache=texts("api." + {SHORT_LIVED: "briefly", IMMUTABLE: "fixed"}.get(url.cache, "revalidate")),
            example=example,
        )


def _default_operation(url: Url) -> "OperationView":
    anchor = re.sub(r"\W+", "-", f"get-{url.pattern}").strip("-")
    return OperationView(anchor, "GET", f"/{url.pattern}", "", Markup(), (), ())


def _matching_paths(url: Url, paths: Sequence[str]) -> Iterator[str]:
    parts = PATTERN_PARTS.findall(url.pattern)
    expression = re.compile("".join("[^/]+" if member else re.escape(literal) for member, literal in parts))
    return (path for path in paths if expression.fullmatch(path.partition("?")[0]))


METHODS = ("get", "head", "options", "put", "post", "delete", "patch")

MAX_TYPE_DEPTH = 4
"""Levels of a type that are spelled out."""


class FieldView(NamedTuple):
    """A parameter of an API call, or a member of a JSON object."""

    name: str
    location: str  # `path`, `query` or `header` for a parameter
    type: str  # in the words of JSON Schema
    link: str  # the anchor of the type; empty if it has none
    required: bool
    description: Markup


class ResponseView(NamedTuple):
    """A response to an API call, as the API page shows it."""

    status: str
    description: Markup
    type: str
    link: str


class OperationView(NamedTuple):
    """An operation of the OpenAPI document, as the API page shows it."""

    anchor: str
    method: str
    path: str
    summary: str
    description: Markup
    parameters: tuple[FieldView, ...]
    answers: tuple[ResponseView, ...]


class SchemaView(NamedTuple):
    """A type of JSON object in the API, as the API page shows it."""

    name: str
    description: Markup
    type: str  # empty for an object
    values: tuple[str, ...]
    fields: tuple[FieldView, ...]


def _operation_views(openapi: Mapping[str, Json]) -> Iterator[OperationView]:
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
                description=_description_html(operation),
                parameters=tuple(_parameter_view(parameter, openapi) for parameter in parameters),
                answers=tuple(_response_views(as_object(operation.get("responses")), openapi)),
            )


def _parameter_view(value: Json, openapi: Mapping[str, Json]) -> FieldView:
    parameter = _resolve_reference(value, openapi)
    kind, link = _describe_type(parameter.get("schema"), 0)
    return FieldView(
        name=one_line(as_text(parameter.get("name"))),
        location=one_line(as_text(parameter.get("in"))),
        type=kind,
        link=link,
        required=parameter.get("required") is True,
        description=_description_html(parameter),
    )


def _response_views(responses: Mapping[str, Json], openapi: Mapping[str, Json]) -> Iterator[ResponseView]:
    for status, value in responses.items():
        response = _resolve_reference(value, openapi)
        content = as_object(response.get("content"))
        schema = next((as_object(body).get("schema") for body in content.values()), None)
        kind, link = _describe_type(schema, 0)
        media_types = ", ".join(one_line(media_type) for media_type in content)
        label = f"{kind} ({media_types})" if kind and media_types else media_types
        yield ResponseView(
            status=one_line(status), description=_description_html(response), type=label, link=link
        )


def _schema_view(name: str, schema: Mapping[str, Json]) -> SchemaView:
    required = as_list(schema.get("required"))
    properties = as_object(schema.get("properties"))
    return SchemaView(
        name=one_line(name),
        description=_description_html(schema),
        type="" if properties else _describe_type(schema, 0).text,
        values=tuple(one_line(str(value)) for value in as_list(schema.get("enum"))),
        fields=tuple(
            _member_view(member, as_object(value), required=member in required)
            for member, value in properties.items()
        ),
    )


def _member_view(name: str, schema: Mapping[str, Json], *, required: bool) -> FieldView:
    kind, link = _describe_type(schema, 0)
    return FieldView(
        name=one_line(name),
        location="",
        type=kind,
        link=link,
        required=required,
        description=_description_html(schema),
    )


class _TypeWords(NamedTuple):
    """A schema's type in words, and what it refers to."""

    text: str
    link: str = ""  # the anchor of its first type


def _describe_type(value: Json, depth: int) -> _TypeWords:
    schema = as_object(value)
    reference = as_text(schema.get("$ref"))
    if reference:
        name = one_line(reference.rpartition("/")[2])
        return _TypeWords(name, f"schema-{name}")
    choices = [*as_list(schema.get("anyOf")), *as_list(schema.get("oneOf")), *as_list(schema.get("allOf"))]
    if choices and depth < MAX_TYPE_DEPTH:
        return _join_types([_describe_type(choice, depth + 1) for choice in choices])
    values = as_list(schema.get("enum"))
    if values:
        return _TypeWords(" or ".join(f'"{one_line(str(value))}"' for value in values))
    return _describe_single_type(schema, depth)


def _join_types(types: list[_TypeWords]) -> _TypeWords:
    text = " or ".join(words.text for words in types if words.text)
    return _TypeWords(text, next((words.link for words in types if words.link), ""))


def _describe_single_type(schema: Mapping[str, Json], depth: int) -> _TypeWords:
    kind = schema.get("type")
    words = " or ".join(map(one_line, map(as_text, kind))) if isinstance(kind, list) else as_text(kind)
    if "const" in schema:
        return _TypeWords(f'"{one_line(str(schema["const"]))}"')
    if "items" in schema and depth < MAX_TYPE_DEPTH:
        item, link = _describe_type(schema.get("items"), depth + 1)
        return _TypeWords(f"array of {item}" if item else "array", link)
    if isinstance(schema.get("additionalProperties"), Mapping) and depth < MAX_TYPE_DEPTH:
        item, link = _describe_type(schema.get("additionalProperties"), depth + 1)
        return _TypeWords(f"object of {item}" if item else "object", link)
    form = as_text(schema.get("format"))
    return _TypeWords(f"{words} ({one_line(form)})" if form else words)


def _resolve_reference(value: Json, openapi: Mapping[str, Json]) -> Mapping[str, Json]:
    """Follow a `$ref` to its schema in the OpenAPI document."""
    reference = as_text(as_object(value).get("$ref"))
    if not reference.startswith("#/"):
        return as_object(value)
    schema: Json = openapi
    for part in reference[2:].split("/"):
        schema = as_object(schema).get(part.replace("~1", "/").replace("~0", "~"))
    return as_object(schema)


def _description_html(value: Mapping[str, Json]) -> Markup:
    return render_markdown(as_text(value.get("description")), 4)
