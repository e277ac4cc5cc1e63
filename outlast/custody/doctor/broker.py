"""The broker: reachable, with this release's exchanges and queues, and somebody who listens."""

from outlast.custody.doctor.finding import Finding, error, note, ok, warning
from outlast.custody.doctor.scene import NotTold, Scene
from shared.broker.declare import listeners, verify
from shared.topology import EXCHANGES, INTAKE, QUEUES, RESULTS


def exchanges_and_queues(scene: Scene) -> Finding:
    """RabbitMQ answers, and has every exchange and queue. Bindings and arguments AMQP does not tell."""
    verify(_url(scene), [*(exchange.name for exchange in EXCHANGES), *(queue.name for queue in QUEUES)])
    means = (
        "Events and hints have their way; `outlast migrate` declares their bindings again, which AMQP does not tell."
    )
    return ok(f"RabbitMQ answers, with {len(EXCHANGES)} exchanges and {len(QUEUES)} queues.", means)


def consumers(scene: Scene) -> Finding:
    """Somebody listens at each queue."""
    counts = listeners(_url(scene))
    deaf = [name for name, count in counts.items() if not count]
    if INTAKE in deaf:
        return error("Nobody takes events from outlast.intake.", "They wait there while their links end: start ingest.")
    stages = [name for name in deaf if name != RESULTS]
    if stages:
        return warning(
            f"Nobody listens at {', '.join(stages)}.", "That stage does not run, or cannot reach RabbitMQ: start it."
        )
    if deaf:
        means = "Fine if nobody acts on finished assets by message; the rows hold every result."
        return note("Nobody takes announcements from outlast.results.", means)
    return ok("Somebody listens at each queue.", "Events are taken, stages are woken, results are heard.")


def _url(scene: Scene) -> str:
    if scene.amqp_url is None:
        raise NotTold("set OUTLAST_AMQP_URL")
    return scene.amqp_url
