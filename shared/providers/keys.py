"""The keys of provider accounts: read when they are used, shown to named origins alone, and never kept."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from glob import escape, glob
from hashlib import sha256
from pathlib import Path

from shared.egress import Refused, parse
from shared.errors import Failure
from shared.providers.entry import Credential, Provider
from shared.reasons import Reason
from shared.redaction import HIDDEN

SOONEST_SECONDS, LATEST_SECONDS = 15.0, 300.0
"""Time until a key that is missing is looked for again: a tenth of the output's age, within these."""

OTHER_KEY = "the key was changed after the output was ready, and may be another account's"
"""What evidence says where an output is unknown to a key that took the place of another."""


@dataclass(frozen=True)
class Key:
    """The key of one provider account; `headers` is a credential and stays in memory."""

    headers: Mapping[str, str] = field(repr=False)
    is_newer: bool = False
    """Whether it took the place of another since the output was ready, so that it may not know the job."""
    secret: str = field(default="", repr=False, compare=False)

    def conceal(self, text: str) -> str:
        """`text` without the key, as a provider may repeat it in its words."""
        return text.replace(self.secret, HIDDEN) if self.secret else text


class Keys:
    """Finds the key of a provider account, and remembers by digest alone which key was there before."""

    def __init__(self, providers: Iterable[Provider] = ()) -> None:
        """Looks at all keys of the providers that are there now, so that a change of one is seen from here on."""
        self._seen: dict[Path, tuple[bytes, datetime | None]] = {}
        for provider in providers:
            if provider.credential:
                for path in _all_paths(provider.credential):
                    self._look_at(Path(path))

    def of_account(self, provider: Provider, provider_account: str, ready_at: datetime) -> Key | None:
        """The key with which the provider's API is asked about an output; None where its entry names none.

        Raises Failure: credential_missing while its file cannot be read, credential_refused where no file can
        belong to the account's name.
        """
        credential = provider.credential
        if credential is None:
            return None
        path = file_of(credential.file, provider_account)
        try:
            text = path.read_text(encoding="ascii").strip()
            changed_at = self._changed_at(path, text)
        except OSError as error:
            raise _missing(error.strerror or type(error).__name__, ready_at) from None
        except UnicodeDecodeError:
            raise _missing("Not ASCII text", ready_at) from None
        if not text or not text.isprintable():
            raise _missing("Not one line of text" if text else "Empty file", ready_at)
        headers = {credential.header: credential.prefix + text}
        return Key(headers, changed_at is not None and changed_at > ready_at, text)

    def for_link(self, provider: Provider, provider_account: str, ready_at: datetime, url: str) -> Key | None:
        """The key that a link itself needs; None unless it lies on one of the origins that the entry names.

        Raises Failure as `of_account` does.
        """
        try:
            needs_key = provider.credential is not None and provider.credential.is_for(parse(url))
        except Refused:
            return None  # it will not be followed
        return self.of_account(provider, provider_account, ready_at) if needs_key else None

    def _look_at(self, path: Path) -> None:
        # One that cannot be read is told by whoever needs it.
        with suppress(OSError, UnicodeDecodeError):
            self._changed_at(path, path.read_text(encoding="ascii").strip())

    def _changed_at(self, path: Path, text: str) -> datetime | None:
        digest = sha256(text.encode()).digest()
        before, changed_at = self._seen.get(path, (digest, None))
        if digest != before:
            # The time of the change of the file's entry: a file that is moved into place may be older.
            changed_at = datetime.fromtimestamp(path.stat().st_ctime, UTC)
        self._seen[path] = digest, changed_at
        return changed_at


def file_of(template: str, provider_account: str) -> Path:
    """The file of one account, whose name takes the place of `{provider_account}`.

    Raises Failure: credential_refused where no file can belong to the account's name.
    """
    if not all(c.isalnum() or c in "._-" for c in provider_account) or provider_account.startswith("."):
        evidence = {"why": "no key file can belong to this provider account's name"}
        raise Failure(Reason.CREDENTIAL_REFUSED, evidence)
    return Path(template.replace("{provider_account}", provider_account))


def _all_paths(credential: Credential) -> list[str]:
    return glob("*".join(map(escape, credential.path("\0").split("\0"))))


def _missing(why: str, ready_at: datetime) -> Failure:
    evidence = {"why": f"the key file of this provider account cannot be used: {why}"}
    age = (datetime.now(UTC) - ready_at).total_seconds()
    wait = min(max(age / 10, SOONEST_SECONDS), LATEST_SECONDS)
    return Failure(Reason.CREDENTIAL_MISSING, evidence, retry_after=wait)
