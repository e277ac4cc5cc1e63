"""A store whose secret key a test may change, as a real one's is changed by its administrator."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

from minio.credentials.credentials import Credentials
from minio.signer import sign_v4_s3

from tests.integration.objects.proxy import Answer, Proxy, Request, says
from tests.integration.objects.servers import S3


class Guarded:
    """Passes on what is signed by `secret`, signed again as the server wants it, and refuses all else."""

    def __init__(self, s3: S3, proxy: Proxy, secret: str) -> None:
        self._s3, self._proxy, self.secret = s3, proxy, secret
        self.refusal = says(403, "SignatureDoesNotMatch")
        self.refused = 0
        for method in ("GET", "HEAD", "PUT", "POST", "DELETE"):
            proxy.fault(method, "/", self._answer)

    def _answer(self, request: Request) -> Answer | None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        if headers["authorization"] != self._signature(request, headers, self.secret):
            self.refused += 1
            return self.refusal(request)
        signed = {**headers, "authorization": self._signature(request, headers, self._s3.secret_key)}
        return self._proxy.forward(request.method, request.target, signed, request.body)

    def _signature(self, request: Request, headers: dict[str, str], secret: str) -> str:
        names = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
        again = sign_v4_s3(
            method=request.method,
            url=urlsplit(self._proxy.endpoint + request.target),
            region=self._s3.region,
            headers={name: headers[name] for name in names},
            credentials=Credentials(self._s3.access_key, secret),
            content_sha256=headers["x-amz-content-sha256"],
            date=datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
        )
        return str(again["Authorization"])
