"""The secrets of webhooks: a file for each provider account, read whenever a webhook comes."""

from base64 import b64decode

from shared.errors import Failure
from shared.providers.keys import file_of
from shared.providers.webhook import Webhook
from shared.reasons import Reason

PREFIX = "whsec_"
"""What a secret of Standard Webhooks may begin with."""


def secrets_of(webhook: Webhook, provider_account: str) -> tuple[bytes, ...]:
    """The secrets that may have signed, in the order of their file, one a line; none where the scheme needs none.

    Several stand there while one is rotated. As the file is read each time, a change needs no restart.
    Raises Failure: credential_missing while there is no such file or any line of it is no secret, so that a slip is
    seen at once and not when the provider begins to use that secret; credential_refused where no file can belong to
    the account's name.
    """
    if webhook.secret_file is None:
        return ()
    path = file_of(webhook.secret_file, provider_account)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise _missing(error.strerror or type(error).__name__) from None
    # Looked at first, as an error of decoding would hold the secret.
    if not text.isascii():
        raise _missing("Not ASCII text")
    secrets = tuple(_secret(webhook, line.strip().decode()) for line in text.splitlines() if line.strip())
    if not secrets:
        raise _missing("Empty file")
    return secrets


def _secret(webhook: Webhook, line: str) -> bytes:
    if not line.isprintable():
        raise _missing("Not lines of text")
    if webhook.scheme == "hmac" and not webhook.secret_is_base64:
        return line.encode()
    written = line.removeprefix(PREFIX)
    try:
        secret = b64decode(written + "=" * (-len(written) % 4), validate=True)
    except ValueError:
        secret = b""
    if not secret:
        raise _missing("A line is not base64")
    return secret


def _missing(why: str) -> Failure:
    evidence = {"why": f"the webhook secrets of this provider account cannot be used: {why}"}
    return Failure(Reason.CREDENTIAL_MISSING, evidence)
