"""When a link ends: every family of signed URLs, its odd forms, and rubbish."""

import base64
import json
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.expiry import HORIZON, Confidence, Life, link_life

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
AT = datetime(2026, 3, 1, 13, 0, tzinfo=UTC)
UNIX = int(AT.timestamp())
S3 = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260301T120000Z&X-Amz-Expires=3600&X-Amz-Signature=ab"


def life(query: str, path: str = "/v.mp4") -> Life:
    return link_life(f"https://h.test{path}?{query}", NOW)


def test_s3_version_4_ends_its_seconds_after_its_date() -> None:
    assert life(S3) == Life(NOW, AT, "s3_v4", Confidence.STATED)


@pytest.mark.parametrize(
    "query",
    [
        S3.lower().replace("20260301t120000z", "20260301T120000Z"),
        S3.upper().replace("%3D", "%3d"),
        S3.replace("-", "%2D"),
        S3.replace("20260301T120000Z", "20260301%541200%300Z"),
        S3.replace("&", "&&") + "&",
        "Expires=1&e=1&" + S3,
        S3 + "#X-Amz-Expires=1",
    ],
)
def test_s3_version_4_is_read_in_any_case_and_percent_coded(query: str) -> None:
    assert (life(query).expires_at, life(query).family) == (AT, "s3_v4")


@pytest.mark.parametrize(
    ("part", "odd"),
    [
        ("3600", odd)
        for odd in (
            "",
            "0",
            "-1",
            "+3600",
            "604801",
            "9" * 400,
            "1e3",
            "NaN",
            "inf",
            "0x10",
            "3600s",
            "٣",
            "1_0",
            "3600.5",
        )
    ]
    + [
        ("20260301T120000Z", odd)
        for odd in ("", "20261301T120000Z", "20260230T120000Z", "20260301T250000Z", "20260301T120000", "now", "0" * 400)
    ]
    + [("20260301T120000Z", "99991231T235959Z"), ("20260301T120000Z", "00010101T000000Z")],
)
def test_s3_version_4_with_a_value_that_is_wrong_is_unknown(part: str, odd: str) -> None:
    found = life(S3.replace(part, odd))
    assert (found.expires_at, found.family, found.confidence) == (None, "s3_v4", Confidence.UNKNOWN)


@pytest.mark.parametrize("left_out", ["X-Amz-Date=20260301T120000Z&", "X-Amz-Expires=3600&"])
def test_s3_version_4_with_a_part_missing_is_unknown(left_out: str) -> None:
    assert life(S3.replace(left_out, "")).expires_at is None


def test_s3_parameters_without_the_signature_are_no_family() -> None:
    assert life(S3.replace("&X-Amz-Signature=ab", "")).family == "none"


def test_a_repeated_parameter_counts_with_its_earliest_end_and_is_ambiguous() -> None:
    found = life(S3 + "&x-amz-expires=60&X-Amz-Expires=rubbish")
    assert (found.expires_at, found.confidence) == (NOW + timedelta(seconds=60), Confidence.AMBIGUOUS)


def test_fr03_a_session_token_makes_the_end_an_at_most() -> None:
    found = life(S3.replace("3600", "604800") + "&X-Amz-Security-Token=t")
    assert found == Life(NOW, NOW + timedelta(days=7), "s3_v4", Confidence.AT_MOST)


def test_fr06_a_link_signed_23_hours_ago_has_one_hour_left() -> None:
    found = life(S3.replace("20260301T120000Z", "20260228T130000Z").replace("3600", "86400"))
    assert found.expires_at == AT


def test_a_link_that_has_ended_ends_in_the_past() -> None:
    assert life(S3.replace("20260301", "20260201")).expires_at == AT - timedelta(days=28)


@pytest.mark.parametrize(
    ("query", "family"),
    [
        (f"AWSAccessKeyId=a&Signature=b&Expires={UNIX}", "s3_v2"),
        (f"Expires={UNIX}&Signature=b&Key-Pair-Id=k", "cloudfront"),
        ("X-Goog-Date=20260301T120000Z&X-Goog-Expires=3600&X-Goog-Signature=b", "gcs_v4"),
        (f"GoogleAccessId=a@b&Expires={UNIX}&Signature=b", "gcs_v2"),
        (f"Expires={UNIX}&OSSAccessKeyId=a&Signature=b", "oss_v1"),
        (f"x-oss-signature-version=OSS2&x-oss-expires={UNIX}&x-oss-signature=b", "oss"),
        ("x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-date=20260301T120000Z&x-oss-expires=3600", "oss"),
        (f"x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-date=20260301T120000Z&x-oss-expires={UNIX}", "oss"),
        ("X-Tos-Date=20260228T130000Z&X-Tos-Expires=86400&X-Tos-Signature=b", "tos"),
        (f"q-sign-time={UNIX - 3600};{UNIX}&q-key-time={UNIX - 3600};{UNIX + 60}&q-signature=b", "cos"),
        (f"q-sign-time={UNIX - 3600}%3B{UNIX + 60}&q-key-time={UNIX - 3600}%3b{UNIX}&q-signature=b", "cos"),
        (f"hdnts=st={UNIX - 3600}~exp={UNIX}~acl=/*~hmac=ab", "akamai"),
        (f"__token__=exp%3D{UNIX}%7Eacl%3D%2F%2A%7Ehmac%3Dab", "akamai"),
        (f"exp={UNIX}~acl=/*~hmac=ab", "akamai"),
        (f"ex={UNIX:x}&is={UNIX - 3600:X}&hm=ab", "discord"),
    ],
)
def test_the_end_is_read_from_every_family(query: str, family: str) -> None:
    found = life(query)
    assert (found.expires_at, found.family, found.confidence) == (AT, family, Confidence.STATED)


def test_an_akamai_token_may_stand_in_the_path() -> None:
    assert life("x=1", f"/exp={UNIX}~acl=%2f*~hmac=ab/v.mp4").expires_at == AT


@pytest.mark.parametrize("value", ["1900000000", "abc", "-5", "", "9" * 30, "315360001"])
def test_fr09_oss_expires_is_an_instant_or_a_duration_by_its_version(value: str) -> None:
    two = life(f"x-oss-signature-version=OSS2&x-oss-expires={value}")
    four = life(f"x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-date=20260301T120000Z&x-oss-expires={value}")
    expected = datetime.fromtimestamp(1900000000, UTC) if value == "1900000000" else None
    assert two.expires_at == expected
    assert four.expires_at in (expected, None if expected else NOW + timedelta(seconds=315360001))
    assert four.expires_at is None or four.expires_at <= NOW + HORIZON


@pytest.mark.parametrize(
    "end",
    [
        "2026-03-01T13:00Z",
        "2026-03-01T13:00:00Z",
        "2026-03-01T13:00:00.0000000Z",
        "2026-03-01T13:00:00.999Z",
        "2026-03-01T14:00:00%2B01:00",
        "2026-03-01T14:00:00+01:00",
        "2026-03-01T12:00:00-01:00",
        "2026-03-01T13%3A00%3A00Z",
        "2026-03-01T13:00:00",
    ],
)
def test_azure_ends_are_read_in_every_form(end: str) -> None:
    assert life(f"sv=2024-05-04&st=2026-03-01T11:00Z&se={end}&sig=ab") == Life(
        NOW - timedelta(hours=1), AT, "azure_sas", Confidence.STATED
    )


def test_an_azure_date_alone_is_the_beginning_of_that_day_in_utc() -> None:
    assert life("sv=2024-05-04&se=2026-03-02&sig=ab").expires_at == datetime(2026, 3, 2, tzinfo=UTC)


def test_an_azure_delegation_key_that_ends_first_ends_the_link() -> None:
    assert life("sv=x&se=2026-03-05T00:00Z&ske=2026-03-01T13:00:00Z&sig=ab").expires_at == AT


@pytest.mark.parametrize(
    "query", ["sv=x&si=policy&sig=a", "sv=x&si=policy&ske=2026-03-01&sig=a", "sv=x&se=tomorrow&sig=a"]
)
def test_an_azure_link_with_a_stored_policy_or_a_wrong_date_is_unknown(query: str) -> None:
    assert life(query) == Life(None, None, "azure_sas", Confidence.UNKNOWN)


def test_a_cloudfront_policy_ends_with_its_earliest_statement() -> None:
    found = life(f"Policy={_policy(UNIX, UNIX + 60)}&Signature=b&Key-Pair-Id=k")
    assert (found.expires_at, found.family) == (AT, "cloudfront_policy")


@pytest.mark.parametrize("policy", ["", "~~~", "!!", "e30_", base64.b64encode(b"[" * 5000).decode(), "A" * 20000])
def test_a_cloudfront_policy_of_rubbish_is_unknown(policy: str) -> None:
    assert life(f"Policy={policy}&Signature=b&Key-Pair-Id=k").confidence is Confidence.UNKNOWN


@pytest.mark.parametrize("exp", [UNIX, float(UNIX), UNIX * 1000, str(UNIX)])
def test_a_jwt_ends_as_its_payload_says_which_is_a_guess(exp: object) -> None:
    assert life(f"_jwt={_jwt({'exp': exp, 'iat': UNIX - 3600})}") == Life(NOW, AT, "jwt", Confidence.GUESSED)


@pytest.mark.parametrize("exp", [None, True, "soon", -1, 1e300, float("nan"), [], {}])
def test_a_jwt_without_a_good_exp_is_unknown(exp: object) -> None:
    assert life(f"_jwt={_jwt({'exp': exp})}").expires_at is None


def test_three_words_with_dots_are_no_jwt() -> None:
    assert life("file=some.video.mp4").family == "none"


def test_a_cdn_token_tells_when_it_was_signed_and_not_when_it_ends() -> None:
    found = life(f"auth_key={UNIX - 3600}-0-0-{'ab' * 16}")
    assert found == Life(NOW, None, "cdn", Confidence.UNKNOWN)


@pytest.mark.parametrize("value", [str(UNIX), f"{UNIX}000", "2026-03-01T13:00:00Z"])
@pytest.mark.parametrize("name", ["expires", "Expiry", "deadline", "e", "exp", "validTo"])
def test_a_common_name_is_a_guess(name: str, value: str) -> None:
    assert life(f"{name}={value}") == Life(None, AT, "generic", Confidence.GUESSED)


@pytest.mark.parametrize(
    "query", ["", "t=5", "e=mc2", "expires=never", "expires=-1", "expires=NaN", "expires=1", "se=x"]
)
def test_a_link_that_does_not_tell_is_unknown(query: str) -> None:
    assert life(query).expires_at is None
    assert life(query).confidence is Confidence.UNKNOWN


@pytest.mark.parametrize("years", [-11, 11, 54, 8000])
def test_an_end_more_than_ten_years_away_is_not_believed(years: int) -> None:
    seconds = UNIX + years * 365 * 86400 + 86400 * 10
    assert life(f"AWSAccessKeyId=a&Signature=b&Expires={seconds}").expires_at is None


def test_of_two_families_the_earlier_end_counts() -> None:
    found = life(f"{S3}&_jwt={_jwt({'exp': UNIX - 60})}")
    assert (found.family, found.expires_at) == ("jwt", AT - timedelta(seconds=60))


_NAMES = [part.partition("=")[0] for part in S3.split("&")]
_NAMES += [
    "Expires",
    "Signature",
    "AWSAccessKeyId",
    "Key-Pair-Id",
    "Policy",
    "se",
    "st",
    "ske",
    "sig",
    "sv",
    "ex",
    "is",
]
_NAMES += [
    "hm",
    "_jwt",
    "hdnts",
    "q-signature",
    "q-sign-time",
    "x-oss-date",
    "x-oss-expires",
    "auth_key",
    "e",
    "hwTime",
]
_NAMES += ["x-oss-signature-version", "X-Tos-Signature", "X-Tos-Date", "X-Tos-Expires", "X-Goog-Signature"]
_NUMBERS = st.integers().map(str) | st.floats().map(str) | st.integers(-(10**6), 10**13).map(str)
_DATES = st.datetimes().map(lambda d: d.strftime("%Y%m%dT%H%M%SZ")) | st.datetimes().map(datetime.isoformat)
_JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists).map(
    lambda value: _jwt({"exp": value})
)
_VALUES = st.text() | _NUMBERS | _DATES | _JSON | st.binary().map(lambda b: base64.urlsafe_b64encode(b).decode())
_QUERIES = st.lists(st.tuples(st.sampled_from(_NAMES) | st.text(), _VALUES.map(quote) | _VALUES), max_size=12)


@given(st.text() | _QUERIES.map(lambda q: "https://h.test/x?" + "&".join(f"{name}={value}" for name, value in q)))
def test_rubbish_never_raises_and_never_lives_for_ever(url: str) -> None:
    found = link_life(url, NOW)
    for instant in (found.issued_at, found.expires_at):
        assert instant is None or (instant.utcoffset() == timedelta(0) and abs(instant - NOW) <= HORIZON)
    assert (found.expires_at is None) == (found.confidence is Confidence.UNKNOWN)


@given(st.sampled_from(["&", "exp=1~", "a=b&", "%", "X-Amz-Date=20260301T120000Z&X-Amz-Expires=1&", "hdnts=exp=1~"]))
def test_a_very_long_link_costs_little(part: str) -> None:
    link_life("https://h.test/?X-Amz-Signature=a&" + part * (60000 // len(part)), NOW)


def _policy(*ends: int) -> str:
    statements = [
        {"Resource": "*", "Condition": {"DateLessThan": {"AWS:EpochTime": end}, "IpAddress": {}}} for end in ends
    ]
    coded = base64.b64encode(json.dumps({"Statement": statements}).encode()).decode()
    return coded.replace("+", "-").replace("=", "_").replace("/", "~")


def _jwt(payload: object) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, payload)
    coded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return ".".join((*coded, "c2ln"))
