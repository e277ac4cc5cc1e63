"""The published contract: a JSON Schema per message and an AsyncAPI document, generated from the code."""
