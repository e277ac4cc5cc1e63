from shared.broker.delivery import Delivery


def test_only_the_first_settlement_reaches_the_broker() -> None:
    settled: list[bool] = []
    delivery = Delivery(b"", "key", False, {}, settled.append)
    delivery.requeue()
    delivery.ack()
    delivery.requeue()
    assert settled == [False]


def test_a_delivery_shows_neither_body_nor_headers() -> None:
    text = repr(Delivery(b"canary", "acme.x", True, {"h": "canary"}, lambda done: None))
    assert text == "Delivery('acme.x', 6 bytes, redelivered=True)"
