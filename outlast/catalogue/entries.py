"""The entries that come with Outlast, with the text of their files."""

import re
import tomllib
from dataclasses import dataclass, field

from shared.providers import Provider, Registry
from shared.providers.registry import CATALOGUE

_INDENTED = re.compile(r"#\s{2,}")


@dataclass(frozen=True)
class Known:
    """An entry of the catalogue, the models that it tells apart, and its file."""

    entry: Provider
    patterns: tuple[str, ...]
    text: str = field(repr=False)

    @property
    def introduction(self) -> str:
        """The comment at the head of the file in Markdown: what is indented there is TOML."""
        comment = []
        for line in self.text.splitlines():
            if not line.startswith("#"):
                break
            comment.append(line)
        return "\n".join(_fenced(comment))

    @property
    def rules(self) -> str:
        """The file without its introduction and its facts."""
        lines = self.text.splitlines()
        first = next(number for number, line in enumerate(lines) if not line.startswith("#"))
        return "\n".join(lines[first:]).partition("[[facts]]")[0].strip()


def catalogue() -> list[Known]:
    """All of them, by name."""
    registry = Registry.load()
    texts = [path.read_text(encoding="utf-8") for path in CATALOGUE.iterdir() if path.name.endswith(".toml")]
    named = {str(tomllib.loads(text)["name"]): text for text in texts}
    return [Known(registry.find(name), registry.patterns(name), named[name]) for name in sorted(named)]


def _fenced(comment: list[str]) -> list[str]:
    lines: list[str] = []
    is_code = False
    for number, line in enumerate(comment):
        text = line.removeprefix("#")
        # A bare line belongs to the code that goes on behind it.
        goes_on = is_code and not text.strip() and any(map(_INDENTED.match, comment[number + 1 : number + 2]))
        begins = bool(_INDENTED.match(line)) or goes_on
        if begins != is_code:
            lines.append("```toml" if begins else "```")
            is_code = begins
        lines.append(text.strip())
    return [*lines, "```"] if is_code else lines
