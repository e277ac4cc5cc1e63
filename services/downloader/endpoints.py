"""The content endpoint that a provider's entry names, as a source of one output."""

import re

from services.downloader.order import Endpoint
from services.downloader.source import Source
from shared.errors import Failure
from shared.providers.entry import Content
from shared.providers.fields import filled, filled_body
from shared.providers.keys import Key
from shared.reasons import Reason
from shared.tasks.claims import Claim

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def endpoint_of(content: Content, claim: Claim, key: Key | None) -> Source:
    """Where the bytes of the claimed output are asked for, and how.

    It ends when the last way to the output does, as no link is between. Raises Failure: no_output where the output's
    id should be an index and is none.
    """
    return Source(
        None,
        filled(content.url, claim.job_id, claim.output_id),
        claim.deadline,
        key=key,
        endpoint=Endpoint(
            method=content.method,
            headers=_headers(content),
            body=None if content.body is None else filled_body(content.body, claim.job_id, claim.output_id),
            base64=_path(content.base64, claim.output_id) if content.base64 else None,
        ),
    )


def _headers(content: Content) -> dict[str, str]:
    accept = {"Accept": "application/json"} if content.base64 else {}
    kind = {} if content.body is None else {"Content-Type": "application/json"}
    return {**accept, **kind, **content.headers}


def _path(template: str, output_id: str) -> str:
    if "{output_id}" not in template or _INDEX.fullmatch(output_id):
        return template.replace("{output_id}", output_id)
    raise Failure(Reason.NO_OUTPUT, {"why": "the output's id is no index, as the provider's answer needs one"})
