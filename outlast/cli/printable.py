"""Text from outside, made fit for a terminal."""


def printable(text: str) -> str:
    """The text with a question mark for whatever could steer the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def shortened(text: str, letters: int) -> str:
    """The text, or its beginning with an ellipsis, in at most so many letters."""
    return text if len(text) <= letters else text[: letters - 1] + "…"
