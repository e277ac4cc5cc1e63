"""The same images proven by the checks alone, through the probe, and out of a store through the probe."""

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from services.verifier.checks.image import set_up
from services.verifier.checks.order import prove
from services.verifier.examine import Prober
from services.verifier.policy import Limits
from services.verifier.supervise import start_probe
from shared.errors import UsageError
from shared.messages import Kind
from shared.objects import Store

AT_ONCE = 2
IMAGE_BYTES = 200_000
SIZES = {"JPEG": (1024, 768), "PNG": (512, 384), "WEBP": (1024, 768)}
MEMORY_BYTES, SECONDS = 2**30, 60.0
BUCKET = "outlast-staging"
BARE, TWO_BARE, PROBE, WITH_STORE = (
    "one bare loop",
    "two bare loops at once",
    "the probe, two at once",
    "store, digest and probe, two at once",
)


@dataclass(frozen=True)
class Proving:
    """Ways to prove the files of a folder, each of which is in the store under its name too."""

    folder: Path
    prober: Prober
    store: Store
    processes: Executor
    threads: Executor

    def ways(self) -> dict[str, Callable[[Sequence[str]], None]]:
        """By name; each proves the named files and raises RuntimeError where one is not accepted."""
        return {BARE: self._bare, TWO_BARE: self._two_bare, PROBE: self._probe, WITH_STORE: self._with_store}

    def _bare(self, names: Sequence[str]) -> None:
        self.processes.submit(_prove_all, [self.folder / name for name in names]).result()

    def _two_bare(self, names: Sequence[str]) -> None:
        halves = [[self.folder / name for name in names[start::AT_ONCE]] for start in range(AT_ONCE)]
        list(self.processes.map(_prove_all, halves))

    def _probe(self, names: Sequence[str]) -> None:
        list(self.threads.map(self._examine, names))

    def _with_store(self, names: Sequence[str]) -> None:
        list(self.threads.map(self._read_and_examine, names, range(len(names))))

    def _examine(self, name: str) -> None:
        if not self.prober.examine(name, Kind.IMAGE).accepted:
            raise RuntimeError(f"{name} was refused")

    def _read_and_examine(self, name: str, number: int) -> None:
        """What the verifier does with a staged object, without its row."""
        copy, digest = self.folder / f"copy-{number}", sha256()
        with self.store.read(BUCKET, name) as pieces, copy.open("wb") as file:
            for piece in pieces:
                digest.update(piece)
                file.write(piece)
        if digest.hexdigest() != name:
            raise RuntimeError("the store gave other bytes")
        copy.chmod(0o644)
        self._examine(copy.name)
        copy.unlink()


@contextmanager
def proving(store: Store, count: int) -> Iterator[tuple[Proving, list[str]]]:
    """A probe of two children with so many images before it, and their names, which are their digests."""
    with TemporaryDirectory(prefix="bench") as home:
        folder = Path(home) / "files"
        folder.mkdir()
        names = _write(folder, store, count)
        # Forked before there are threads.
        with ProcessPoolExecutor(AT_ONCE, get_context("fork"), initializer=_be_strict) as processes:
            list(processes.map(_prove_all, [[folder / name for name in names]] * AT_ONCE))
            socket = Path(home) / "socket"
            probe = start_probe(socket, folder, memory_bytes=MEMORY_BYTES, seconds=SECONDS, children=AT_ONCE)
            try:
                with ThreadPoolExecutor(AT_ONCE) as threads:
                    yield Proving(folder, Prober(socket), store, processes, threads), names
            finally:
                probe.stop()


def rate(way: Callable[[Sequence[str]], None], names: Sequence[str]) -> float:
    """Images per second."""
    began = time.perf_counter()
    way(names)
    return len(names) / (time.perf_counter() - began)


def _write(folder: Path, store: Store, count: int) -> list[str]:
    names = []
    for number in range(count):
        form = list(SIZES)[number % len(SIZES)]
        data = _image(form, SIZES[form])
        names.append(sha256(data).hexdigest())
        (folder / names[-1]).write_bytes(data)
        store.put(BUCKET, names[-1], data, content_type=f"image/{form.lower()}")
    return names


def _image(form: str, size: tuple[int, int]) -> bytes:
    """A picture of a soft pattern with grain, in the quality that comes nearest to the wanted size."""
    rough = Image.frombytes("RGB", (size[0] // 8, size[1] // 8), os.urandom(size[0] * size[1] * 3 // 64))
    soft = rough.resize(size, Image.Resampling.BICUBIC)
    if form == "PNG":
        return _saved(soft.quantize(64).convert("RGB"), form)
    made = (_saved(soft, form, quality=quality) for quality in range(50, 100, 10))
    return min(made, key=lambda data: abs(len(data) - IMAGE_BYTES))


def _saved(picture: Image.Image, form: str, **options: int) -> bytes:
    target = BytesIO()
    picture.save(target, form, **options)
    return target.getvalue()


def _be_strict() -> None:
    warnings.simplefilter("ignore")
    set_up(Limits().pixels)


def _prove_all(paths: Sequence[Path]) -> None:
    """A bare loop: the checks as the children run them, and nothing else."""
    for path in paths:
        with path.open("rb") as file:
            if not prove(file, Kind.IMAGE, Limits()).accepted:
                raise UsageError(f"{path} was refused")
