"""The output in a good answer: its body, or a string in it; an error in place of it is told apart."""

from collections.abc import Iterator

from services.downloader.base64_body import NoString, output_in
from services.downloader.evidence import Sighting
from services.downloader.opening import LOOK_BYTES, is_document, is_error_page, opened, says_error
from services.downloader.order import Order
from services.downloader.refusal import READ_BYTES, refusal_of_document, refusal_of_page


def output_of(order: Order, seen: Sighting, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes to store, of the blocks of a body without codings.

    Raises Failure where the body is an error page, or a document without the output.
    """
    path = order.endpoint.base64
    first, blocks = opened(blocks, LOOK_BYTES if path is None else READ_BYTES)
    is_error = says_error if order.takes_text else is_error_page
    is_page = is_error(first) if path is None else bool(first) and not is_document(first)
    if is_page:
        raise refusal_of_page(order, seen, opened(blocks, READ_BYTES)[0])
    return blocks if path is None or not first else _inside(order, seen, first, blocks, path)


def _inside(order: Order, seen: Sighting, first: bytes, blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    try:
        yield from output_in(blocks, path)
    except NoString as nothing:
        raise refusal_of_document(order, seen, first, f"{path} is {nothing.found}") from None
