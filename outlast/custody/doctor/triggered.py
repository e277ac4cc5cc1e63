"""What the trial of the intake found: each object of the input one task, and no task of any other object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outlast.custody.doctor.finding import Check, Finding, error, ok

GROUP = "trigger"


@dataclass(frozen=True)
class Trial:
    """How often objects became tasks: `states` of those of the input, `found` tasks of the account, `strays` others."""

    states: Sequence[str]
    found: int
    strays: Sequence[str]
    """Buckets whose objects became a task though they are no input."""


def judged(trial: Trial) -> Iterator[tuple[Check, Finding]]:
    """What the trial shows."""
    yield Check("one-task-each", GROUP), one_task_each(trial)
    yield Check("no-stray-task", GROUP), no_stray_task(trial)


def one_task_each(trial: Trial) -> Finding:
    """Every object of the input became exactly one task, which completed."""
    wanted, complete = len(trial.states), sum(state == "complete" for state in trial.states)
    if trial.found != wanted:
        means = "Something is captured twice or not at all: see `outlast list --account` and ingest's log."
        return error(f"{wanted} objects, each told twice, became {trial.found} tasks.", means)
    if complete != wanted:
        means = "The intake works, and a later stage does not in this time: see `outlast show` of these tasks."
        return error(
            f"Of {wanted} tasks {complete} are complete; there are {', '.join(sorted(set(trial.states)))}.", means
        )
    return ok(
        f"{wanted} objects, each told twice, became {wanted} assets.", "Events of objects may be repeated safely."
    )


def no_stray_task(trial: Trial) -> Finding:
    """An object of the assets or of the output became no task, even where an event names it."""
    if trial.strays:
        means = "Results are captured again and again: correct OUTLAST_INPUT_BUCKET of ingest."
        return error(f"Objects of {', '.join(trial.strays)} became tasks.", means)
    return ok("Objects of assets and output became no task.", "No result of Outlast comes back as its input.")
