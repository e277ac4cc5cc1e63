"""A store that keeps to the condition on a copy, made of one that does not and a proxy in front of it."""

from urllib.parse import unquote

from shared.objects import Store
from tests.integration.objects.proxy import Answer, Fault, Request, says


def heeding(store: Store) -> Fault:
    """Refuses a copy whose source has another ETag than its condition names, and passes on whatever else it gets."""

    def answer(request: Request) -> Answer | None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        wanted = headers.get("x-amz-copy-source-if-match")
        if wanted:
            bucket, _, key = unquote(headers["x-amz-copy-source"]).lstrip("/").partition("/")
            head = store.stat(bucket, key)
            if head and head.etag != wanted.strip('"'):
                return says(412, "PreconditionFailed")(request)
        return request.forward()

    return answer
