"""From a message of the intake to what it means: an event, or objects that their store tells of."""

import structlog

from services.ingest.events import Answer, Events, Outcome
from services.ingest.inputs import Inputs
from shared.broker.consumer import Delivery
from shared.errors import Unstorable
from shared.messages import (
    EVENTS,
    Fault,
    IntakeEvent,
    ObjectCreated,
    ObjectCreatedEvent,
    Rejected,
    read_intake,
    read_notification,
    task_id_of,
)
from shared.telemetry import metrics, traces
from shared.topology import NOTIFICATIONS, account_of

log = structlog.get_logger(__name__)

TYPES = tuple(EVENTS)
WHY = {
    Outcome.ID_CONFLICT: (
        Fault.ID_CONFLICT,
        "id: the same source used this id for another output or type; give each event an id of its own",
    ),
    Outcome.UNKNOWN_TASK: (Fault.UNKNOWN_TASK, "data.task_id: this account has no such task"),
}


class Reader:
    """Reads messages and stores what they say."""

    def __init__(self, events: Events, inputs: Inputs) -> None:
        self._events = events
        self._inputs = inputs

    def read(self, delivery: Delivery) -> None:
        """Store a message's event. Raises Rejected for what is none, Failure(Reason.DATABASE) for what must wait."""
        try:
            if delivery.routing_key == NOTIFICATIONS:
                self._notice(delivery.body)
            else:
                self._accept(delivery)
        except Unstorable as error:
            raise Rejected(Fault.UNSTORABLE, f"the database refuses its values ({error})") from None

    def _accept(self, delivery: Delivery) -> None:
        account = account_of(delivery.routing_key, TYPES)
        event = read_intake(
            delivery.body,
            account=account,
            event_type=delivery.routing_key.removeprefix(f"{account}."),
            headers=delivery.headers,
            content_type=delivery.content_type,
        )
        if isinstance(event, ObjectCreatedEvent):
            self._check_object(account, event.data)
        answer = self._stored(account, event, delivery)
        if answer.outcome in WHY:
            raise Rejected(*WHY[answer.outcome])
        metrics.EVENTS.add(outcome=str(answer.outcome))

    def _stored(self, account: str, event: IntakeEvent, delivery: Delivery) -> Answer:
        with traces.span("outlast.intake", event.traceparent):
            answer = self._events.accept(account, event, delivery.body)
            log.info(
                "event_read",
                type=event.type,
                outcome=str(answer.outcome),
                task_id=str(answer.task_id),
                state=answer.state,
            )
        return answer

    def _check_object(self, account: str, data: ObjectCreated) -> None:
        """Bucket and prefix first, and that the object is its sender's own."""
        inputs, owner = self._inputs, self._inputs.account_of(data.object.bucket, data.object.key)
        if owner is None:
            raise Rejected(
                Fault.NOT_INPUT,
                f"data.object: only objects under {inputs.prefix}{account}/ of the bucket {inputs.bucket} are input",
            )
        if owner != account:
            raise Rejected(Fault.NOT_ALLOWED, f"data.object.key: the routing key speaks for {account} alone")
        if data.task_id not in (None, task_id_of(account, data)):
            raise Rejected(Fault.WRONG_SCHEMA, "data.task_id: this is not the task id of this object; leave it out")

    def _notice(self, body: bytes) -> None:
        notification = read_notification(body)
        owners = [(self._inputs.account_of(told.bucket, told.key), told) for told in notification.created]
        for account, told in owners:
            if account is not None:
                answer = self._events.notice(account, told)
                metrics.EVENTS.add(outcome=str(answer.outcome))
                log.info("object_noticed", outcome=str(answer.outcome), task_id=str(answer.task_id), state=answer.state)
        # Whatever is not under the input, our own objects first of all, must never start anything.
        ignored = notification.ignored + sum(account is None for account, _ in owners)
        metrics.EVENTS.add(ignored, outcome="ignored")
        if ignored:
            log.debug("notification_ignored", records=ignored)
