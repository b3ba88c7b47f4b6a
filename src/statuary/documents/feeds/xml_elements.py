"""XML elements and their bytes."""

from xml.etree import ElementTree as ET

from statuary.documents.feeds.update_bodies import xml_text

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'


def child(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Append an element to another one and return it; characters that XML does not allow are removed."""
    element = ET.SubElement(parent, tag, {name: xml_text(value) for name, value in attributes.items()})
    if text is not None:
        element.text = xml_text(text)
    return element


def xml_bytes(root: ET.Element) -> bytes:
    """Return an element as a document, indented by two spaces."""
    ET.indent(root)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=False)
    return DECLARATION + body + b"\n"
