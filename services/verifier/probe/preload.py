"""Everything that an examination imports, loaded before the children are forked: they see no file system."""

import pkgutil
from importlib import import_module

PACKAGES = ("encodings", "pypdf")
"""Loaded whole: which part is needed depends on the file."""

ELSEWHERE = frozenset({"encodings.mbcs", "encodings.oem", "pypdf._crypt_providers._pycryptodome"})
"""Parts for another system or another library."""

MODULES = (
    *("bz2", "lzma", "av.subtitles.stream", "PIL.ImageChops", "PIL.ImagePalette", "PIL.ImageSequence"),
    *("PIL.AvifImagePlugin", "PIL.BmpImagePlugin", "PIL.GifImagePlugin", "PIL.IcoImagePlugin"),
    *("PIL.Jpeg2KImagePlugin", "PIL.JpegImagePlugin", "PIL.MpoImagePlugin", "PIL.PngImagePlugin"),
    *("PIL.PpmImagePlugin", "PIL.TiffImagePlugin", "PIL.WebPImagePlugin"),
)


def preload() -> None:
    """Import the parts of the libraries that they would load at first use."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if module.name not in ELSEWHERE:
                import_module(module.name)
    for name in MODULES:
        import_module(name)
