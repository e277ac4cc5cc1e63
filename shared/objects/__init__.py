"""The object store of Outlast, the only place that knows minio."""

from shared.objects.bare import Reply
from shared.objects.errors import Changed, NotThere
from shared.objects.listing import BegunUpload, Listed
from shared.objects.store import Store, Stored
from shared.objects.upload import Upload
from shared.objects.wire import Head, Uploaded

__all__ = ["BegunUpload", "Changed", "Head", "Listed", "NotThere", "Reply", "Store", "Stored", "Upload", "Uploaded"]
