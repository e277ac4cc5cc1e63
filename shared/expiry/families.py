"""The families of signed URLs: how each is recognised and where it says when it ends."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from shared.expiry.instants import after, compact, duration, iso, unix, unix_hex
from shared.expiry.parameters import Parameters
from shared.expiry.tokens import cloudfront_policy, jwt_claims

Instants = Iterable[datetime | None]


@dataclass(frozen=True)
class Claim:
    """What a family reads from a URL: every instant of its beginning and of its end.

    `names` are the parameters read, so that a repeated one is noticed; `is_sure` is False for a guess.
    """

    starts: Instants
    ends: Instants
    names: tuple[str, ...] = ()
    is_sure: bool = True


Family = Callable[[Parameters], Claim | None]

WEEK = 7 * 86400
_AKAMAI = re.compile(r"(?:st=([0-9]{1,12})~)?exp=([0-9]{1,12})~[^&#]{0,1024}hmac=")
_SIGNED_AT = re.compile(r"([0-9]{10})-[^-]+-[^-]+-[0-9A-Fa-f]{32}")
_INSTANT_FROM = 10**9


def _lasting(prefix: str, longest: int) -> Family:
    """The shape of AWS version 4: a date, a duration, and a signature under one prefix."""
    date, seconds, signature = f"{prefix}-date", f"{prefix}-expires", f"{prefix}-signature"

    def family(parameters: Parameters) -> Claim | None:
        if not parameters.has(signature):
            return None
        starts = [compact(text) for text in parameters.all(date)]
        lives = [duration(text, longest) for text in parameters.all(seconds)]
        return Claim(starts, after(starts, lives), (date, seconds))

    return family


def _until(companions: tuple[str, ...], name: str, read: Callable[[str], datetime | None]) -> Family:
    """An instant in one parameter, recognised by its companions."""

    def family(parameters: Parameters) -> Claim | None:
        if not parameters.has(*companions):
            return None
        return Claim((), map(read, parameters.all(name)), (name,))

    return family


def _cloudfront_custom(parameters: Parameters) -> Claim | None:
    if not parameters.has("policy", "key-pair-id"):
        return None
    spans = [cloudfront_policy(text) for text in parameters.all("policy")]
    return Claim([span[0] for span in spans], [span[1] for span in spans], ("policy",))


def _azure(parameters: Parameters) -> Claim | None:
    if not parameters.has("sig", "sv"):
        return None
    # A user delegation key (`ske`) ends the link even if the link itself (`se`) says later.
    ends = [iso(text) for name in ("se", "ske") for text in parameters.all(name)]
    return Claim(map(iso, parameters.all("st")), ends if parameters.has("se") else (), ("se", "ske"))


def _oss(parameters: Parameters) -> Claim | None:
    versions = {text.upper() for text in parameters.all("x-oss-signature-version")}
    if not versions:
        return None
    values = parameters.all("x-oss-expires")
    starts = [compact(text) for text in parameters.all("x-oss-date")]
    ends = [unix(text) for text in values if "OSS2" in versions or _is_instant(text)]
    lives = [duration(text, _INSTANT_FROM - 1) for text in values if "OSS2" not in versions]
    return Claim(starts, [*ends, *after(starts, lives)], ("x-oss-expires", "x-oss-date"))


def _is_instant(text: str) -> bool:
    return len(text) < 20 and text.isascii() and text.isdigit() and int(text) >= _INSTANT_FROM


def _cos(parameters: Parameters) -> Claim | None:
    if not parameters.has("q-signature"):
        return None
    spans = [text.split(";") for name in ("q-sign-time", "q-key-time") for text in parameters.all(name)]
    pairs = [span for span in spans if len(span) == 2]
    names = ("q-sign-time", "q-key-time")
    return Claim([unix(start) for start, _ in pairs], [unix(end) for _, end in pairs], names)


def _akamai(parameters: Parameters) -> Claim | None:
    # The token's name can be configured, and it may stand in the path.
    found = [match for text in (*parameters.pairs(), parameters.path) for match in _AKAMAI.finditer(text)]
    return Claim([unix(m[1] or "") for m in found], [unix(m[2]) for m in found]) if found else None


def _jwt(parameters: Parameters) -> Claim | None:
    tokens = [claims for claims in map(jwt_claims, parameters.values()) if claims]
    return Claim([c[0] for c in tokens], [c[1] for c in tokens], is_sure=False) if tokens else None


def _discord(parameters: Parameters) -> Claim | None:
    if not parameters.has("ex", "is", "hm"):
        return None
    return Claim(map(unix_hex, parameters.all("is")), map(unix_hex, parameters.all("ex")), ("ex", "is"))


def _cdn(parameters: Parameters) -> Claim | None:
    """Aliyun, Huawei and Tencent CDN: the time of signing; how long it counts is set at the CDN."""
    texts = [*parameters.all("auth_key"), *parameters.all("sign")]
    starts = [unix(match[1]) for match in map(_SIGNED_AT.fullmatch, texts) if match]
    starts += [unix_hex(text) for text in parameters.all("hwtime")]
    return Claim(starts, (), is_sure=False) if starts else None


_GENERIC = ("expires", "expiry", "expire", "exp", "deadline", "validto", "e")


def generic(parameters: Parameters) -> Claim | None:
    """The names that many CDNs use, when no family is recognised."""
    ends = [unix(text) or iso(text) for name in _GENERIC for text in parameters.all(name)]
    return Claim((), ends, _GENERIC, is_sure=False) if any(ends) else None


FAMILIES: Mapping[str, Family] = {
    "s3_v4": _lasting("x-amz", WEEK),
    "gcs_v4": _lasting("x-goog", WEEK),
    "tos": _lasting("x-tos", 30 * 86400),
    "s3_v2": _until(("awsaccesskeyid", "signature"), "expires", unix),
    "cloudfront": _until(("key-pair-id", "signature", "expires"), "expires", unix),
    "cloudfront_policy": _cloudfront_custom,
    "gcs_v2": _until(("googleaccessid", "signature"), "expires", unix),
    "azure_sas": _azure,
    "oss_v1": _until(("ossaccesskeyid", "signature"), "expires", unix),
    "oss": _oss,
    "cos": _cos,
    "akamai": _akamai,
    "discord": _discord,
    "jwt": _jwt,
    "cdn": _cdn,
}
