"""What the doctor makes of what it reads."""

import pytest

from outlast.custody.doctor.finding import Check
from outlast.custody.doctor.lifecycle import rules_of
from outlast.custody.doctor.order import CHECKS, examined
from outlast.custody.doctor.scene import Scene
from outlast.custody.doctor.triggered import Trial, judged
from shared.errors import UsageError
from shared.keys import STAGING_PREFIX
from tests.conftest import ROOT

HEAD = '<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'


def eats(rule: str, status: str = "Enabled") -> bool:
    document = f"{HEAD}<Rule><ID>r</ID><Status>{status}</Status>{rule}</Rule></LifecycleConfiguration>"
    return any(found.covers(STAGING_PREFIX) for found in rules_of(document))


DAYS = "<Expiration><Days>1</Days></Expiration>"


@pytest.mark.parametrize(
    "rule",
    [
        f"<Prefix/>{DAYS}",
        f"<Filter/>{DAYS}",
        f"<Filter><Prefix>sta</Prefix></Filter>{DAYS}",
        f"<Prefix>staging/a</Prefix>{DAYS}",
        f"<Filter><And><Prefix>staging/</Prefix><ObjectSizeGreaterThan>1</ObjectSizeGreaterThan></And></Filter>{DAYS}",
        "<Filter/><Expiration><Date>2030-01-01T00:00:00Z</Date></Expiration>",
    ],
)
def test_a_rule_by_age_that_meets_the_staging_prefix_eats_staging(rule: str) -> None:
    assert eats(rule)
    assert not eats(rule, "Disabled")


@pytest.mark.parametrize(
    "rule",
    [
        "<Filter/><AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>",
        f"<Filter><Prefix>.outlast-doctor/</Prefix></Filter>{DAYS}",
        f"<Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>{DAYS}",
        "<Filter/><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>",
    ],
)
def test_a_rule_about_something_else_does_not(rule: str) -> None:
    assert not eats(rule)


def test_what_is_not_told_is_not_looked_at_and_no_error() -> None:
    assert {(finding.level, finding.seen) for _, finding in examined(Scene())} - {("note", "Not looked at.")} <= {
        ("ok", "The four buckets differ.")
    }


def test_an_unknown_check_is_named() -> None:
    with pytest.raises(UsageError, match="no check telepathy"):
        list(examined(Scene(), ["telepathy"]))


def levels(*states: str, found: int, strays: tuple[str, ...] = ()) -> list[str]:
    return [finding.level for _, finding in judged(Trial(states, found, strays))]


def test_the_trial_of_the_intake_is_good_only_with_one_complete_task_for_each_object_and_no_other() -> None:
    assert levels("complete", "complete", found=2) == ["ok", "ok"]
    assert levels("complete", "complete", found=3) == ["error", "ok"]
    assert levels("complete", "unseen", found=1) == ["error", "ok"]
    assert levels("complete", "verifying", found=2) == ["error", "ok"]
    assert levels("complete", found=1, strays=("outlast-assets",)) == ["ok", "error"]


@pytest.mark.parametrize(
    "check", [*CHECKS, *(check for check, _ in judged(Trial((), 0, ())))], ids=lambda check: check.name
)
def test_every_check_has_its_row(check: Check) -> None:
    text = (ROOT / "docs/custody.md").read_text(encoding="utf-8")
    assert f"\n| `{check.name}` |" in text
