"""The type that a source gives for its bytes, in whatever form it writes it."""

import pytest

from services.downloader.declared import declared_type


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        (["video/mp4"], "video/mp4"),
        (["VIDEO/MP4"], "video/mp4"),
        (["video/mp4; charset=utf-8"], "video/mp4"),
        ([" image/png ;q=1"], "image/png"),
        (["image/svg+xml"], "image/svg+xml"),
        (["image/png", "image/png"], "image/png"),
        (["image/png", "text/html"], None),
        (["image/png, text/html"], None),
        ([], None),
        ([""], None),
        (["octet-stream"], None),
        (["image/png\r\nX-Evil: 1"], None),
        (["image/<script>"], None),
        (["../../x/y"], None),
        (["a/" + "b" * 98], "a/" + "b" * 98),
        (["a/" + "b" * 99], None),
        (["ímage/png"], None),
    ],
)
def test_fr33_a_declared_type_is_kept_in_a_clean_form_or_not_at_all(headers: list[str], told: str | None) -> None:
    assert declared_type(headers) == told
