"""How a provider's webhooks are proven and read."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shared.providers.fields import Address, JmesPath
from shared.providers.reading import Reading

SECRET_SCHEMES = frozenset({"standard", "hmac"})
KEYED_SCHEMES = frozenset({"ed25519", "jwt"})
UNPROVEN_SCHEMES = frozenset({"challenge", "unsigned"})

_HEADER = r"[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)?"
Header = Annotated[str, Field(pattern=f"^{_HEADER}$")]
"""Name of a header; `name:item` is what stands after `item=` in a header that holds a list."""
BODY = frozenset({"body", "body_sha256"})


class Webhook(Reading):
    """What signs a webhook of this provider, and how its body is read.

    `standard` is Standard Webhooks (HMAC-SHA256 over id, timestamp and body). `hmac` and `ed25519` sign the text of
    `signed`. `jwt` is a token in a header whose audience is our own address. `challenge` and `unsigned` prove
    nothing: such a webhook only has the job asked for.
    """

    scheme: Literal["standard", "hmac", "ed25519", "jwt", "challenge", "unsigned"] = Field(
        description="What signs a webhook, and so what one is worth."
    )
    secret_file: str | None = Field(
        None, description="File of the secrets, one a line, any of which counts; `{provider_account}` is filled in."
    )
    jwks: Address | None = Field(None, description="Address of the provider's public keys (RFC 7517).")
    secret_is_base64: bool = Field(
        False, description="Whether a secret of scheme hmac is written in base64; one of scheme standard always is."
    )
    signature: Header | None = Field(None, description="Header of the signature or token.")
    prefix: str = Field("", description="What stands before each signature, or before the token, in its header.")
    encoding: Literal["hex", "base64", "base64url"] = Field("hex", description="How a signature is written.")
    signed: str = Field(
        "{body}",
        description="The signed text: `{body}`, `{body_sha256}` (hex), and headers by their names in braces; "
        "`{name:t}` is what stands after `t=` in a header that holds a list.",
    )
    timestamp: Header | None = Field(None, description="Header of the sending time, unix seconds; it must be signed.")
    key_id: Header | None = Field(None, description="Header that names the key of `jwks`; absent: any of them may fit.")
    audience: str | None = Field(None, description="For whom a token must be; absent: the address it was sent to.")
    body_claim: str | None = Field(
        None, description="Claim of a token with the SHA-256 of the body; absent: the token proves nothing of the body."
    )
    tolerance_seconds: float = Field(300.0, gt=0, description="How far the sending time may be from now.")
    challenge: JmesPath | None = Field(None, description="A value in the body that must be sent back.")
    reports: bool = Field(
        True, description="Whether the body says what became of the job; else the job is asked for at once."
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.scheme in SECRET_SCHEMES and not self.secret_file:
            raise ValueError(f"scheme {self.scheme} needs secret_file")
        if self.scheme in KEYED_SCHEMES and not self.jwks:
            raise ValueError(f"scheme {self.scheme} needs jwks")
        if self.scheme in ("hmac", "ed25519", "jwt") and not self.signature:
            raise ValueError(f"scheme {self.scheme} needs signature, the name of a header")
        if self.scheme == "challenge" and not self.challenge:
            raise ValueError("scheme challenge needs challenge")
        if self.scheme in UNPROVEN_SCHEMES and self.reports:
            raise ValueError(f"scheme {self.scheme} proves nothing: say reports = false")
        if self.job_id is None:
            raise ValueError("job_id is missing: nothing else says which job a webhook is about")
        return self

    @model_validator(mode="after")
    def _signs_the_body(self) -> Self:
        names = set(re.findall(r"\{([^{}]*)\}", self.signed))
        if not names & BODY or not all(re.fullmatch(_HEADER, name) for name in names):
            raise ValueError("signed holds {body} or {body_sha256}, and else only names of headers in braces")
        if self.scheme in ("hmac", "ed25519") and re.search(r"[,\s]", self.prefix):
            raise ValueError("prefix holds no comma and no space, as these part one signature from the next")
        if self.timestamp and f"{{{self.timestamp}}}" not in self.signed:
            raise ValueError("timestamp is of no use unless `signed` holds it too")
        return self
