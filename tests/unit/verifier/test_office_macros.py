"""Macros in office files that hide behind other names, and honest office files beside them."""

from collections.abc import Callable

import pytest

from services.verifier.facts import Facts, Verdict
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import archive

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)
TYPES = b'<Types><Override PartName="/word/x.bin" ContentType="application/vnd.ms-office.%s"/></Types>'
LINK = b'<Relationships><Relationship Id="1" Type="http://schemas.microsoft.com/office/%s" Target="%s"/>'
DOCUMENT = {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}
RELS = "word/_rels/document.xml.rels"
OPEN = {"content.xml": b"<office/>", "META-INF/manifest.xml": b"<manifest/>"}
HIDDEN = {
    "type": {"[Content_Types].xml": TYPES % b"vbaProject"},
    "type by code": {"[Content_Types].xml": TYPES % b"&#118;&#x62;aProject"},
    "wide type": {"[Content_Types].xml": (TYPES % b"vbaProject").decode().encode("utf-16")},
    "entity": {"[Content_Types].xml": b'<!DOCTYPE a [<!ENTITY b "vbaProject">]>' + TYPES % b"&b;"},
    "relationship": {RELS: LINK % (b"vbaProject", b"x.bin")},
    "old form": {"word/media/image1.png": OLE},
}


@pytest.mark.parametrize("is_nested", [False, True])
@pytest.mark.parametrize("name", HIDDEN)
def test_macros_under_another_name_are_active_content(
    name: str, is_nested: bool, examine: Callable[..., Verdict]
) -> None:
    data = archive(DOCUMENT | HIDDEN[name])
    verdict = examine(archive({"report.docx": data}) if is_nested else data, Kind.ARCHIVE)
    assert (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "zip_content" if is_nested else "office_file")


@pytest.mark.parametrize("name", ["Basic/Standard/Module1.xml", "Scripts/python/a.py", "scripts/x"])
def test_scripts_in_an_open_document_are_active_content(name: str, examine: Callable[..., Verdict]) -> None:
    assert examine(archive(OPEN | {name: b"x"}), Kind.ARCHIVE).reason is Reason.ACTIVE_CONTENT


@pytest.mark.parametrize(
    "files",
    [
        DOCUMENT | {RELS: LINK % (b"hyperlink", b"https://example.org/vbaProject")},
        DOCUMENT | {RELS: LINK % (b"hyperlink", b"https://example.org/?a=macroEnabled&amp;b=1")},
        OPEN | {"Scripts/": b"", "Object 1/content.xml": b"<office/>"},
        {"Scripts/a.txt": b"an archive of theirs", "Basic/b.txt": b"1"},
    ],
    ids=["link", "words", "open document", "no office file"],
)
def test_an_honest_office_file_is_accepted(files: dict[str, bytes], accepted: Callable[..., Facts]) -> None:
    assert accepted(archive(files), Kind.ARCHIVE).notes == ()


def test_an_embedded_object_of_the_old_form_is_noted(accepted: Callable[..., Facts]) -> None:
    facts = accepted(archive(DOCUMENT | {"word/embeddings/oleObject1.bin": OLE}), Kind.ARCHIVE)
    assert (facts.extension, facts.notes) == ("docx", ("not_looked_into",))
