"""Lifecycle rules of the store, which know nothing of what is in use."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from outlast.custody.doctor.finding import Finding, error, note, ok
from outlast.custody.doctor.scene import Scene
from shared.keys import STAGING_PREFIX


@dataclass(frozen=True)
class Rule:
    """One rule that is in force: its name, the beginning of the keys it is about, and whether it deletes objects."""

    name: str
    prefix: str
    expires: bool
    tagged: bool
    """It is only about objects with a tag, and ours have none."""

    def covers(self, prefix: str) -> bool:
        """Whether it deletes objects whose keys begin so."""
        meets = prefix.startswith(self.prefix) or self.prefix.startswith(prefix)
        return self.expires and meets and not self.tagged


def lifecycle_spares_staging(scene: Scene) -> Finding:
    """No rule deletes staged bytes by their age."""
    return _spares(scene, scene.buckets.staging, STAGING_PREFIX, "bytes that were captured and not yet proven")


def lifecycle_spares_assets(scene: Scene) -> Finding:
    """No rule deletes assets by their age."""
    return _spares(scene, scene.buckets.assets, "", "assets that Outlast calls complete")


def lifecycle_spares_input(scene: Scene) -> Finding:
    """No rule deletes input by its age before it is captured."""
    return _spares(scene, scene.buckets.input, scene.input_prefix, "input that may not be captured yet")


def rules_of(document: str) -> Iterator[Rule]:
    """The enabled rules of a lifecycle configuration. Raises ParseError for what is no XML."""
    for found in ElementTree.fromstring(document).findall(".//{*}Rule"):  # noqa: S314 (the word of the store we were told)
        if found.findtext("{*}Status") != "Enabled":
            continue
        prefixes = (element.text for element in found.findall(".//{*}Prefix"))
        prefix = next(filter(None, prefixes), "")
        expiration = found.find("{*}Expiration")
        expires = expiration is not None and any(
            expiration.find(f"{{*}}{kind}") is not None for kind in ("Days", "Date")
        )
        yield Rule(found.findtext("{*}ID") or "without a name", prefix, expires, found.find(".//{*}Tag") is not None)


def _spares(scene: Scene, bucket: str, prefix: str, what: str) -> Finding:
    reply = scene.store.ask("GET", bucket, query={"lifecycle": ""})
    if not reply.good and (reply.status in {401, 403} or reply.code == "NoSuchBucket"):
        return note(
            f"The store does not tell the rules of {bucket} ({reply.spoken}).", f"See that none deletes {what}."
        )
    rules = list(rules_of(reply.body)) if reply.good and reply.body.strip() else []
    eaters = [f"{rule.name} (prefix {rule.prefix!r})" for rule in rules if rule.covers(prefix)]
    if eaters:
        means = f"It deletes {what}: take it away, or let it only abort multipart uploads."
        return error(f"In {bucket} objects expire by the rule {', '.join(eaters)}.", means)
    return ok(
        f"No rule of {bucket} lets such objects expire; {len(rules)} in force.", f"Nothing deletes {what} by age."
    )
