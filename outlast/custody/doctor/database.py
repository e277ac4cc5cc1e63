"""The database: reachable, of this release, with its roles and what each may do."""

from collections.abc import Iterator
from contextlib import contextmanager

from outlast.custody.doctor.finding import Finding, error, ok, warning
from outlast.custody.doctor.scene import NotTold, Scene
from shared.db import Database
from shared.db.database import Row
from shared.db.migrations import ROLES
from shared.db.version import newest_version


@contextmanager
def opened(scene: Scene) -> Iterator[Database]:
    """A connection of the check's own. Raises NotTold."""
    if scene.database_url is None:
        raise NotTold("set OUTLAST_DATABASE_URL")
    database = Database(scene.database_url, connections=1, name="outlast-doctor")
    try:
        yield database
    finally:
        database.close()


def schema_version(scene: Scene) -> Finding:
    """The database answers, and has the schema of this release."""
    with opened(scene) as database:
        row = database.one("schema_version")
    found, wanted = row["version_num"] if row else "none", newest_version()
    if found != wanted:
        means = (
            "Services of this release are not ready with it: run `outlast migrate`, or this command of that release."
        )
        return error(f"The schema is {found}, and this release has {wanted}.", means)
    return ok(f"The database answers, with schema {found}.", "It fits this release.")


def database_roles(scene: Scene) -> Finding:
    """Every role is there, and none of them passes by the grants."""
    with opened(scene) as database:
        rows = database.run("doctor_roles", roles=list(ROLES))
    missing = [row["role"] for row in rows if not row["there"]]
    if missing:
        means = "Run `outlast migrate --bootstrap` once more as an administrator, then set their passwords."
        return error(f"There is no role {', '.join(missing)}.", means)
    mighty = [row["role"] for row in rows if row["mighty"]]
    if mighty:
        return error(
            f"Superuser is {', '.join(mighty)}.", "The rights of roles mean nothing so: ALTER ROLE ... NOSUPERUSER."
        )
    return ok(f"All {len(rows)} roles are there, none a superuser.", "Each service works under its own.")


def database_grants(scene: Scene) -> Finding:
    """Links are read by the downloader alone, and assets made by the promoter alone."""
    with opened(scene) as database:
        rows = database.run("doctor_grants")
    lacks = [_spoken(row) for row in rows if row["should"] and not row["has"]]
    if lacks:
        return error(
            f"Missing grants: {', '.join(lacks)}.",
            "Its service fails as database: restore the grants of the migrations.",
        )
    exceeds = [_spoken(row) for row in rows if row["has"] and not row["should"]]
    if exceeds:
        means = "Links are credentials, and assets are proofs: revoke what the migrations do not grant."
        return warning(f"More than this release grants: {', '.join(exceeds)}.", means)
    return ok(
        f"{len(rows)} grants that matter are as they should be.",
        "Only the downloader reads links, only the promoter makes assets.",
    )


def _spoken(row: Row) -> str:
    return f"{row['role']} {row['privilege']} on {row['relation']}"
