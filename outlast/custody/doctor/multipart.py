"""Multipart uploads: parts, listing, abort, and a completion that is asked for twice."""

import re

from outlast.custody.doctor.finding import Finding, error, note, ok, warning
from outlast.custody.doctor.scene import Scene
from shared.objects import Reply
from shared.objects.behaviour import removed
from shared.objects.errors import refused

_UPLOAD = re.compile(r"<UploadId>([^<]+)</UploadId>")


def multipart_upload(scene: Scene) -> Finding:
    """An object is made of two parts."""
    store, bucket, key = scene.store, scene.buckets.staging, scene.key("parts")
    body = b"\xa5" * (store.part_bytes + 1)
    with removed(store, bucket) as written:
        written.append((key, None))
        with store.upload(bucket, key) as upload:
            upload.write(body)
            done = upload.complete()
        written.append((key, done.version_id))
        found = store.digest(bucket, key, done.version_id)
    if found.size != len(body):
        return error("An object of two parts comes back otherwise.", "Large captures fail as staging_corrupt: mend it.")
    return ok("An object of two parts came back whole.", "Outputs over one part can be captured.")


def multipart_abort(scene: Scene) -> Finding:
    """An upload that is under way is listed, and gone after it is aborted."""
    bucket, key = scene.buckets.staging, scene.key("aborted")
    upload = _begin(scene, bucket, key)
    listed = _listed(scene, bucket, key, upload)
    ended = scene.store.ask("DELETE", bucket, key, query={"uploadId": upload})
    if not ended.good:
        means = "What a killed worker left stays for ever: let a lifecycle rule abort uploads, or the administrator."
        return error(f"An upload is not aborted ({ended.spoken}).", means)
    if not listed:
        means = "What a killed worker left is found by the ids in the database alone; Outlast records them."
        return note("The store aborts uploads, but does not list one under way.", means)
    if _listed(scene, bucket, key, upload):
        return warning("An aborted upload is still in the list.", "Its parts may cost room: ask the administrator.")
    return ok("An upload was listed, aborted, and gone.", "What a killed worker left can be found and removed.")


def multipart_completed_twice(scene: Scene) -> Finding:
    """What a completion says that is asked for again, as after a lost answer."""
    store, bucket, key = scene.store, scene.buckets.staging, scene.key("completed")
    upload = _begin(scene, bucket, key)
    with removed(store, bucket) as written:
        part = store.ask("PUT", bucket, key, query={"partNumber": "1", "uploadId": upload}, body=b"part")
        first, again = (_complete(scene, bucket, key, upload, part) for _ in range(2))
        written += [(key, reply.headers.get("x-amz-version-id")) for reply in (first, again)]
    if not first.good:
        return error(f"A completion is refused ({first.spoken}).", "Outputs over one part cannot be captured: mend it.")
    if again.good:
        return ok("A completion may be asked for twice.", "A lost answer costs nothing.")
    return note(
        f"A repeated completion is refused ({again.spoken}).",
        "Nothing to do: after a lost answer Outlast looks for its object before it asks again.",
    )


def _begin(scene: Scene, bucket: str, key: str) -> str:
    reply = scene.store.ask("POST", bucket, key, query={"uploads": ""})
    found = _UPLOAD.search(reply.body)
    if found is None:
        raise refused(bucket, key, reply.status, reply.code)
    return found.group(1)


def _listed(scene: Scene, bucket: str, key: str, upload: str) -> bool:
    """Whether the upload is in the list of those under way."""
    return upload in _UPLOAD.findall(scene.store.ask("GET", bucket, query={"uploads": "", "prefix": key}).body)


def _complete(scene: Scene, bucket: str, key: str, upload: str, part: Reply) -> Reply:
    etag = part.headers.get("etag", "").strip('"')
    row = f"<Part><PartNumber>1</PartNumber><ETag>{etag}</ETag></Part>"
    body = f"<CompleteMultipartUpload>{row}</CompleteMultipartUpload>".encode()
    return scene.store.ask("POST", bucket, key, query={"uploadId": upload}, body=body)
