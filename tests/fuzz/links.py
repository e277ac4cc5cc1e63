"""Links of every shape: signed ones, odd hosts, names, ports, schemes, users, data URIs, and damaged ones."""

import base64
import re
from collections.abc import Callable
from random import Random

from tests.faults.canary import CANARY, tells
from tests.fuzz.damage import ODD_TEXT, damaged_text
from tests.fuzz.odd_parts import NAMES, PATHS, PORTS, QUERIES, SCHEMES
from tests.fuzz.peer import HOST
from tests.fuzz.zone import name_of, private, written

_HOST = re.compile(r"//(?:[^/?#]*@)?([\w.-]*)(?:[:/?#]|\Z)")


def link(random: Random, port: int) -> str:
    """A link that may lead to HOST and `port`, or anywhere else; its secret parts hold the canary."""
    url = random.choices(_MAKERS, _WEIGHTS)[0](random, port)
    done = damaged_text(random, url) if random.random() < 0.3 else url
    host = _HOST.search(done)
    # A host is no secret, so the canary must not have become one.
    return good_link(random, port) if host and tells(host[1]) else done


def good_link(random: Random, port: int) -> str:
    """A link that the guard lets through."""
    host = random.choice((HOST, HOST, name_of(HOST)))
    return f"http://{host}:{port}" + random.choice(PATHS) + random.choice(QUERIES)


def _rest(random: Random) -> str:
    return random.choice(PATHS) + random.choice(QUERIES)


def _literal(random: Random, port: int) -> str:
    ports = (f":{port}", "", ":443", ":8443")
    scheme = random.choice(("http", "http", "https"))
    return f"{scheme}://{written(random, private(random))}{random.choice(ports)}{_rest(random)}"


def _resolved(random: Random, port: int) -> str:
    found = [private(random) for _ in range(random.choice((1, 1, 2, 3)))]
    name = random.choice(
        (
            name_of(*found[:1]),
            name_of(HOST, *found[:1]),
            name_of(*found[:1], HOST),
            name_of(HOST, *found[:1], turns=f"{random.getrandbits(64):x}"),
            name_of("93.184.215.14", *found[:1]),
            name_of("2606:4700::1111"),
            name_of(HOST),
            random.choice(NAMES),
            random.choice(NAMES),
        )
    )
    ports = (f":{port}", f":{port}", "", ":443")
    return f"http://{name}{random.choice(ports)}{_rest(random)}"


def _scheme(random: Random, port: int) -> str:
    mark = random.choice(("://", "://", ":", ":/", ":///", "//", "", ":\\\\", "%3a%2f%2f"))
    return f"{random.choice(SCHEMES)}{mark}{HOST}:{port}{_rest(random)}"


def _user(random: Random, port: int) -> str:
    user = random.choice((f"user:{CANARY}", CANARY, f"{CANARY}%40x", f"a@b:{CANARY}", f":{CANARY}", f"{CANARY}\\", ""))
    at = random.choice(("@", "@", "@", "%40", "@@", "\\@", "#@", "?@", "/@"))
    host = random.choice((HOST, "10.0.0.1", name_of(HOST), "169.254.169.254"))
    return f"http://{user}{at}{host}:{port}{_rest(random)}"


def _port(random: Random, port: int) -> str:
    host = random.choice((HOST, name_of(HOST), "127.0.0.1", "[::1]", f"[::ffff:{HOST}]", name_of("::1")))
    return f"{random.choice(('http', 'https'))}://{host}{random.choice(PORTS)}{_rest(random)}"


def _data(random: Random, port: int) -> str:
    kind = random.choice(("", "image/png", "text/html;charset=x", "video/mp4;name=a%2Cb", f"x/{CANARY}", "a,b"))
    coding = random.choice((";base64", ";base64", "; BASE64 ", ";base64;x", ""))
    content = random.choice(
        (
            base64.b64encode(random.randbytes(random.choice((0, 1, 2, 3, 300, 5000)))).decode(),
            base64.urlsafe_b64encode(random.randbytes(50)).decode(),
            f"{CANARY}%2{CANARY}%",
            "%ff%00<html>" * 20,
            "".join(random.choices(ODD_TEXT, k=10)),
        )
    )
    scheme, comma = random.choice(("data:", "DATA:", " data:", "data://")), random.choice((",", ",", ""))
    return scheme + kind + coding + comma + content


def _shapeless(random: Random, port: int) -> str:
    words = (f"http://{HOST}:{port}/", CANARY, "https:", "//", "?", *ODD_TEXT)
    return "".join(random.choices(words, k=random.choice((0, 1, 3, 10, 60, 3000))))


_Maker = Callable[[Random, int], str]
_MIX: dict[_Maker, int] = {
    good_link: 50,
    _literal: 16,
    _resolved: 14,
    _scheme: 8,
    _user: 8,
    _port: 8,
    _data: 6,
    _shapeless: 6,
}
_MAKERS, _WEIGHTS = tuple(_MIX), tuple(_MIX.values())
