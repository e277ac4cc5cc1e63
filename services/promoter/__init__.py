"""The placing: gives proven bytes their durable name, once."""
