"""XML as bytes: elements in the order they were made, escaped by the standard library's writer."""

from xml.etree import ElementTree as ET

from statuary.documents.feeds.update_bodies import xml_text

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'


def child(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Add an element to another one and return it; what XML cannot hold is left out of its text."""
    element = ET.SubElement(parent, tag, {name: xml_text(value) for name, value in attributes.items()})
    if text is not None:
        element.text = xml_text(text)
    return element


def xml_bytes(root: ET.Element) -> bytes:
    """Return an element as a document, two spaces to a level."""
    ET.indent(root)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=False)
    return DECLARATION + body + b"\n"
