"""Import endpoints and announcements of Gatus.

Format: https://github.com/TwiN/gatus#announcements. An announcement has a time, a kind and a message, and no
end.
"""

from functools import partial
from itertools import chain

from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.status.fields import Fields, find_source_files, read_yaml_mapping
from statuary.extensions.importing.status.status_builder import ForeignUpdate, StatusBuilder, append_id_digest
from statuary.extensions.importing.status.status_plan import ImportRequest, StatusPlan
from statuary.status.model.vocabulary import UpdateStatus
from statuary.system.network.client import display_location

KINDS: dict[str, UpdateStatus] = {"operational": "resolved"}
"""The status of an announcement by its kind; others are `investigating` until they are archived."""


PARTS = {"endpoints": "an endpoint", "external-endpoints": "an external endpoint", "suites": "a suite"}
"""The lists of a configuration whose entries the page shows, with the noun for an entry."""


def read_gatus(request: ImportRequest) -> StatusPlan:
    """Read the status from a Gatus configuration or a running Gatus server.

    Raises:
        NotImportableError: if the source is neither a configuration nor a server of Gatus.
    """
    builder = StatusBuilder(request)
    read_documents = (
        _fetch_endpoints(request)
        if request.is_url
        else list(map(read_yaml_mapping, find_source_files(request.source, (".yaml", ".yml"))))
    )
    documents = [document for document in read_documents if {*PARTS, "announcements"} & set(document)]
    if not documents:
        raise NotImportableError(
            f"{display_location(request.source)} is neither a configuration nor a page of Gatus",
            "name a configuration file of Gatus, or the URL of its page",
        )
    _add_page(builder, request, documents)
    for name, convert, noun in (
        *((part, _add_endpoint, noun) for part, noun in PARTS.items()),
        ("announcements", _add_announcement, "an announcement"),
    ):
        records = chain.from_iterable(document.get_objects(name) for document in documents)
        builder.convert_records(records, partial(convert, builder), noun)
    if any("maintenance" in document for document in documents):
        builder.add_skipped_record(
            "maintenance", "only silences the alerts of Gatus; it is not announced to readers"
        )
    return builder.plan


def _add_page(builder: StatusBuilder, request: ImportRequest, documents: list[Fields]) -> None:
    interface = next((document.get_object("ui") for document in documents if document.get("ui")), Fields())
    url = request.source if request.is_url else interface.get_text("link")
    builder.set_page(interface.get_text("header", "title"), url, about=interface.get_text("description"))


def _fetch_endpoints(request: ImportRequest) -> list[Fields]:
    base = request.source.rstrip("/")
    statuses = request.web.fetch_json(f"{base}/api/v1/endpoints/statuses") or []
    suites = request.web.fetch_json(f"{base}/api/v1/suites/statuses") or []
    configuration = Fields.from_json_value(request.web.fetch_json(f"{base}/api/v1/config") or {})
    return [Fields(endpoints=statuses, suites=suites), configuration]


def _add_endpoint(builder: StatusBuilder, endpoint: Fields) -> None:
    name = endpoint.required_text("name")
    group = endpoint.get_text("group")
    if endpoint.get_text("enabled") != "false":
        builder.add_component(f"{group}/{name}", name, group=group)
        results = endpoint.get_objects("results")
        if results:
            builder.note_shown_status(
                f"{group}/{name}", "operational" if results[-1].get("success") else "major_outage"
            )


def _add_announcement(builder: StatusBuilder, announcement: Fields) -> None:
    began = announcement.get_text("timestamp")
    at = announcement.required_free_form_time("timestamp")
    message = announcement.required_text("message")
    is_past = announcement.get_text("archived") == "true" or announcement.get("archived") is True
    kind = announcement.get_text("type")
    status = KINDS.get(kind, "resolved" if is_past else "investigating")
    title = message.splitlines()[0].lstrip("# ").partition(". ")[0]
    update = ForeignUpdate(at, status, message)
    ident = f"{at[:16]}-{kind or 'announcement'}"
    # Announcements of the same minute and kind get the same id. Append a digest of time and message to tell
    # them apart.
    if builder.has_record(ident):
        ident = append_id_digest(ident, f"{at} {message}")
    builder.add_original_record(ident, title, began, is_open=status != "resolved")
    builder.add_incident(ident, title, [update], {})
