"""What proves a webhook and what does not, the same for every way of signing."""

import hmac
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.ingest.webhooks import Proof, Unproven, Why
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.canary import CANARY, check_silent
from tests.unit.ingest.webhooks.senders import (
    ATLAS,
    BFL,
    BODY,
    FAL,
    GEMINI,
    HMACS,
    LISTS,
    NOW,
    OPENROUTER,
    SECONDS,
    SECRETS,
    SENDERS,
    STANDARD,
    SVIX,
    TOKENS,
    Sender,
    entry,
    proven,
    public_keys,
)

TIMED = [sender for sender in SENDERS if sender.has_time]
BINDING = [sender for sender in SENDERS if sender is not GEMINI]


def named(senders: Sequence[Sender]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("sender", senders, ids=lambda sender: sender.name)


def refused(sender: Sender, headers: Mapping[str, Sequence[bytes]], body: bytes = BODY, **more: Any) -> Why:
    with pytest.raises(Unproven) as unproven:
        proven(sender, headers, body, **more)
    check_silent(unproven.value)
    return unproven.value.why


@named(SENDERS)
@pytest.mark.parametrize(
    "body", [BODY, b"", b"{body}{X-Nobody}", b"\xc3\xa9" * 9], ids=["json", "empty", "braces", "utf-8"]
)
def test_fr45_a_good_webhook_is_proven(sender: Sender, body: bytes) -> None:
    assert proven(sender, sender.headers(body), body) == Proof(binds_body=sender is not GEMINI)


@named([sender for sender in LISTS if sender not in (STANDARD, SVIX)])
def test_fr45_a_body_that_is_no_text_is_proven_as_it_came(sender: Sender) -> None:
    assert proven(sender, sender.headers(b"\x1f\x8b\x08\xff\x00"), b"\x1f\x8b\x08\xff\x00").binds_body


@named(BINDING)
@pytest.mark.parametrize(
    "change",
    [
        lambda body: body[:-1] + bytes([body[-1] ^ 1]),
        lambda body: bytes([body[0] ^ 1]) + body[1:],
        lambda body: body[:-1],
        lambda body: body + b" ",
        lambda body: body.replace(b" ", b""),
        lambda body: body.replace(b"\\u00f6", "ö".encode()),
        lambda body: b"",
        lambda body: b"\xff" + body,
    ],
    ids=["last bit", "first bit", "cut", "longer", "no spaces", "unescaped", "none", "no text"],
)
def test_fr45_another_body_is_not_proven(sender: Sender, change: Any) -> None:
    assert refused(sender, sender.headers(), change(BODY)) in (Why.BAD_SIGNATURE, Why.BAD_TOKEN)


def test_a_token_that_says_nothing_of_the_body_is_only_a_hint() -> None:
    assert proven(GEMINI, GEMINI.headers(), b"another") == Proof(binds_body=False)


@named(SENDERS)
def test_fr45_a_signature_with_a_changed_character_is_refused(sender: Sender) -> None:
    headers = sender.headers()
    value = headers[sender.signature][0]
    for at in range(len(value) - 12, len(value) - 4):
        changed = value[:at] + (b"0" if value[at : at + 1] != b"0" else b"1") + value[at + 1 :]
        assert refused(sender, {**headers, sender.signature: [changed]}) in (Why.BAD_SIGNATURE, Why.BAD_TOKEN)


@named(HMACS)
def test_fr45_another_secret_is_refused(sender: Sender) -> None:
    assert refused(sender, sender.headers(), secrets=[b"another"]) is Why.BAD_SIGNATURE


@named(HMACS)
def test_a_secret_that_is_missing_or_empty_is_a_fault_of_ours(sender: Sender) -> None:
    for secrets in ([], [b""], [SECRETS[0], b""]):
        with pytest.raises(Failure) as failure:
            proven(sender, sender.headers(), secrets=secrets)
        assert failure.value.reason is Reason.CREDENTIAL_MISSING
        check_silent(failure.value)


@named(HMACS)
def test_fr45_while_a_secret_is_rotated_the_old_and_the_new_one_count(sender: Sender) -> None:
    for key in (0, 1):
        assert proven(sender, sender.headers(key=key)).binds_body
    assert refused(sender, sender.headers(key=1), secrets=SECRETS[:1]) is Why.BAD_SIGNATURE


@named([FAL, ATLAS, *TOKENS])
def test_fr45_while_a_public_key_is_rotated_the_old_and_the_new_one_count(sender: Sender) -> None:
    newest = tuple(pair for pair in public_keys() if pair[0] in ("ed-1", "rsa-1"))
    assert proven(sender, sender.headers(key=0), keys=newest)
    assert proven(sender, sender.headers(key=1))
    assert refused(sender, sender.headers(key=1), keys=newest) in (Why.NO_KEY, Why.BAD_SIGNATURE)


@named([FAL, ATLAS, *TOKENS])
def test_keys_of_another_kind_prove_nothing(sender: Sender) -> None:
    others = "rsa" if sender in (FAL, ATLAS) else "ed"
    same_names = tuple(
        (name.replace("rsa", "x").replace("ed", "rsa").replace("x", "ed"), key)
        for name, key in public_keys()
        if name and name.startswith(others)
    )
    assert refused(sender, sender.headers(), keys=same_names) is Why.NO_KEY
    assert refused(sender, sender.headers(), keys=()) is Why.NO_KEY


@named(LISTS)
@pytest.mark.parametrize("between", [b" ", b"  ", b"\t", b"header"])
def test_fr45_of_two_signatures_the_second_may_fit(sender: Sender, between: bytes) -> None:
    headers, body = sender.headers(), BODY
    good = headers[sender.signature][0]
    other = sender.headers(b"another")[sender.signature][0]
    if sender is OPENROUTER:
        other = other.partition(b",")[2]
    both = [other, good] if between == b"header" else [other + between + good]
    assert proven(sender, {**headers, sender.signature: both}, body).binds_body


@named(LISTS)
@pytest.mark.parametrize(
    "before", [b"v2,abcd", b"v1a,abcd", b"v1,!", b"v1,A", b"junk", b"=", b"\xe9", b"v1,\xff,\xff", b"sha256=", b"v1=zz"]
)
def test_fr45_what_is_no_signature_hides_no_good_one(sender: Sender, before: bytes) -> None:
    headers = sender.headers()
    both = before + b" " + headers[sender.signature][0]
    assert proven(sender, {**headers, sender.signature: [both]}).binds_body


@named([STANDARD, SVIX])
@pytest.mark.parametrize("version", [b"v2,", b"v1a,", b"V1,", b"v1", b",", b"v1,v1,", b""])
def test_fr45_only_signatures_of_version_1_count(sender: Sender, version: bytes) -> None:
    headers = sender.headers()
    other = version + headers[sender.signature][0].removeprefix(b"v1,")
    assert refused(sender, {**headers, sender.signature: [other]}) is Why.BAD_SIGNATURE


@named([BFL, OPENROUTER])
def test_fr45_a_signature_without_its_prefix_is_none(sender: Sender) -> None:
    headers = sender.headers()
    bare = headers[sender.signature][0].replace(sender.webhook.prefix.encode(), b"")
    assert refused(sender, {**headers, sender.signature: [bare]}) is Why.BAD_SIGNATURE


@named(TIMED)
@pytest.mark.parametrize(
    ("at", "why"),
    [
        (b"%d" % (SECONDS - 301), Why.TOO_OLD),
        (b"%d" % (SECONDS - 600), Why.TOO_OLD),
        (b"0", Why.TOO_OLD),
        (b"%d" % (SECONDS + 301), Why.TOO_NEW),
        (b"%d" % (SECONDS + 600), Why.TOO_NEW),
        (b"%d" % (SECONDS * 1000), Why.BAD_TIMESTAMP),
        (b"9" * 400, Why.BAD_TIMESTAMP),
        (b"abc", Why.BAD_TIMESTAMP),
        (b"", Why.BAD_TIMESTAMP),
        (b"-1", Why.BAD_TIMESTAMP),
        (b"1_796", Why.BAD_TIMESTAMP),
        (b"nan", Why.BAD_TIMESTAMP),
        (b"%d.5" % SECONDS, Why.BAD_TIMESTAMP),
        ("١٧٩٦".encode(), Why.BAD_TIMESTAMP),
        (b"\xb2", Why.BAD_TIMESTAMP),
    ],
)
def test_fr45_a_time_that_is_not_now_is_refused_though_it_is_signed(sender: Sender, at: bytes, why: Why) -> None:
    if at == b"" and sender not in TOKENS:
        why = Why.MISSING_HEADER
    if at == b"0" and sender in TOKENS:
        why = Why.BAD_TIMESTAMP
    assert refused(sender, sender.headers(at=at)) is why


@named(TIMED)
@pytest.mark.parametrize("seconds", [-300, -299, 0, 299, 300])
def test_fr45_a_time_within_the_tolerance_is_now(sender: Sender, seconds: int) -> None:
    assert proven(sender, sender.headers(), now=NOW + timedelta(seconds=seconds))


@named(TIMED)
def test_the_tolerance_is_that_of_the_entry(sender: Sender) -> None:
    narrow = sender.webhook.model_copy(update={"tolerance_seconds": 10.0})
    sender = Sender(sender.name, narrow, sender.signs)
    assert proven(sender, sender.headers(at=b"%d" % (SECONDS - 10)))
    assert refused(sender, sender.headers(at=b"%d" % (SECONDS - 11))) is Why.TOO_OLD
    assert refused(sender, sender.headers(at=b"%d" % (SECONDS + 11))) is Why.TOO_NEW


def test_without_a_sending_time_an_old_webhook_is_as_good() -> None:
    assert proven(BFL, BFL.headers(), now=NOW + timedelta(days=400)).binds_body


@named([sender for sender in LISTS if sender.has_time])
def test_fr45_the_time_is_signed(sender: Sender) -> None:
    later, headers = b"%d" % (SECONDS + 1), sender.headers()
    moved = {name: [value[0].replace(b"%d" % SECONDS, later)] for name, value in headers.items()}
    assert refused(sender, moved) is Why.BAD_SIGNATURE


@named(SENDERS)
def test_fr45_a_webhook_without_one_of_its_headers_is_refused(sender: Sender) -> None:
    for name in sender.headers():
        without = {other: value for other, value in sender.headers().items() if other != name}
        if "key-id" in name:
            assert proven(sender, without).binds_body, "any key may fit then"
            continue
        expected = Why.NO_SIGNATURE if name == sender.signature else Why.MISSING_HEADER
        assert refused(sender, without) is expected
        assert refused(sender, {**without, name: []}) is expected
        assert refused(sender, {**without, name: [b""]}) is expected
        assert refused(sender, {**without, name: [b"", b""]}) is expected
    assert refused(sender, {}) is Why.NO_SIGNATURE


@named(SENDERS)
def test_fr45_a_header_that_is_not_ascii_is_refused(sender: Sender) -> None:
    for name, (value,) in sender.headers().items():
        for strange in ("ä".encode(), b"\xff\xfe", value + b"\xe9", b"\x00", "\u202e".encode()):
            assert isinstance(refused(sender, {**sender.headers(), name: [strange]}), Why)


@named(LISTS)
def test_fr45_a_repeated_header_that_is_signed_is_ambiguous(sender: Sender) -> None:
    for name, (value,) in sender.headers().items():
        if name != sender.signature:
            for twice in ([value, value], [value, b"x"], [b"x", value]):
                assert refused(sender, {**sender.headers(), name: twice}) is Why.REPEATED_HEADER


@named(TOKENS)
def test_fr45_two_tokens_are_ambiguous(sender: Sender) -> None:
    (value,) = sender.headers()[sender.signature]
    assert refused(sender, {sender.signature: [value, value]}) is Why.REPEATED_HEADER


def test_a_list_with_two_times_is_ambiguous() -> None:
    (value,) = OPENROUTER.headers()[OPENROUTER.signature]
    assert refused(OPENROUTER, {OPENROUTER.signature: [b"t=1," + value]}) is Why.REPEATED_HEADER


@pytest.mark.parametrize("scheme", ["challenge", "unsigned"])
def test_what_nobody_signs_is_only_a_hint(scheme: str) -> None:
    unsigned = Sender(scheme, entry(scheme, reports=False, challenge="challenge"), STANDARD.signs)
    assert proven(unsigned, {}, b"", secrets=[], keys=()) == Proof(binds_body=False)


@named([STANDARD, SVIX])
def test_an_id_that_is_not_ascii_is_signed_as_it_came(sender: Sender) -> None:
    """The library signs text; a sender of UTF-8 is understood, and other bytes are no text."""
    headers = sender.headers()
    name = next(each for each in headers if each.endswith("-id"))
    assert refused(sender, {**headers, name: ["msg-ä".encode()]}) is Why.BAD_SIGNATURE
    assert refused(sender, {**headers, name: [b"msg-\xe4"]}) is Why.BAD_SIGNATURE


def test_the_headers_of_the_specification_win_over_those_of_svix() -> None:
    both = {**SVIX.headers(b"another"), **STANDARD.headers()}
    assert proven(STANDARD, both).binds_body
    assert refused(STANDARD, {**SVIX.headers(), **STANDARD.headers(b"another")}) is Why.BAD_SIGNATURE


raw = st.binary(max_size=200) | st.text(max_size=50).map(lambda text: text.encode("utf-8", "surrogatepass"))


@named(SENDERS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_fr45_no_header_and_no_body_raises_anything_but_a_refusal(sender: Sender, data: st.DataObject) -> None:
    headers = sender.headers()
    names = st.sampled_from([*headers, "webhook-id", "webhook-signature", "svix-timestamp", "x-other"])
    value = raw | st.sampled_from([each[0] for each in headers.values()])
    changed = data.draw(st.dictionaries(names, st.lists(value, max_size=3)))
    body = data.draw(st.just(BODY) | raw)
    try:
        proof = proven(sender, {**headers, **changed}, body)
    except Unproven as unproven:
        assert isinstance(unproven.why, Why)
    else:
        # Only the sender's own words, at most with further signatures beside them, are believed.
        assert body == BODY or not proof.binds_body


@named(SENDERS)
@settings(max_examples=60, deadline=None)
@given(value=raw, body=raw)
def test_nothing_is_proven_by_chance(sender: Sender, value: bytes, body: bytes) -> None:
    headers = {name: [value] for name in sender.headers()}
    with pytest.raises(Unproven):
        proven(sender, headers, body)


def test_no_text_of_a_refusal_tells_what_was_sent() -> None:
    for why in Why:
        assert str(Unproven(why)) == why.value
        assert CANARY not in repr(Unproven(why))
    assert CANARY not in repr(proven(BFL, BFL.headers()))


def test_the_signature_of_the_specification_is_proven() -> None:
    """Made by hand: the form of the specification, whatever the library does."""
    text = b"msg_1." + str(SECONDS).encode() + b'.{"test": 2432232314}'
    signature = b"v1," + b64encode(hmac.new(b"k" * 24, text, sha256).digest())
    headers = {
        "webhook-id": [b"msg_1"],
        "webhook-timestamp": [str(SECONDS).encode()],
        "webhook-signature": [signature],
    }
    assert proven(STANDARD, headers, b'{"test": 2432232314}', secrets=[b"k" * 24]).binds_body
