"""Parts of links, good and odd."""

from tests.faults.canary import CANARY
from tests.fuzz.zone import SUFFIX

PATHS = (
    f"/{CANARY}path/v.mp4",
    f"/a%2fb/../c//d/%7e{CANARY}/.",
    f"/{CANARY};p=1/[x]/'\"<>^`{{|}}~!$()*,",
    f"/%E4%BD%A0/ä/猫/{CANARY}",
    f"//{CANARY}//",
    f"/@{CANARY}:x@y/z",
    f"/{'x' * 9000}{CANARY}",
    "",
    "/",
)
QUERIES = (
    f"?sig={CANARY}query%2B&x=1",
    f"?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260301T120000Z&X-Amz-Expires=3600&X-Amz-Signature={CANARY}",
    f"?sv=2024-05-04&se=2026-03-01T13:00:00Z&sig={CANARY}%3D",
    f"?Expires=99999999999999999999&Signature={CANARY}&Key-Pair-Id=K&Policy=!!",
    f"?q-sign-time=1;2&q-key-time=9;1&q-signature={CANARY}",
    f"?hdnts=st=1~exp=-1~acl=/*~hmac={CANARY}",
    f"?_jwt=e30.{CANARY}.e30&ex=zz&is=&hm={CANARY}",
    f"?by=user:{CANARY}@h.test/&next=http://10.0.0.1/{CANARY}?#",
    f"??&&=&{CANARY}&&a=[1]#frag{CANARY}",
    f"#{CANARY}",
    "",
)
SCHEMES = (
    *("https", "HTTP", "hTTpS", "ftp", "file", "gopher", "javascript", "data", "ws", "blob", "s3", "http+unix", ""),
    *(
        "http\u017f",
        "h\u0442tp",
        "http:http",
        "https:https://h.test/http",
        "//http",
        " http",
        "\thttp",
        "view-source:http",
    ),
)
PORTS = (
    *("", ":", ":0", ":80", ":443", ":8443", ":22", ":25", ":6379", ":5432", ":65535", ":65536", ":-1", ":+80", ":080"),
    *(":99999999999999999999", ":\u0661", ":80:80", ":8_0", ":0x50", ":%38%30", ": 80", f":{CANARY}"),
)
NAMES = (
    *("localhost", "LOCALHOST", "localhost.", "x.localhost", "metadata.google.internal", "kubernetes.default.svc"),
    *("postgres.svc.cluster.local", "router.lan", "h.home.arpa", "1.0.0.127.in-addr.arpa", "x.invalid", "x.onion"),
    *(
        "metadata",
        "db",
        "rabbitmq",
        f"gone{SUFFIX}",
        f"none{SUFFIX}",
        "-a.zone.test",
        "a_.zone.test",
        "xn--a.zone.test",
    ),
    *(
        "a" * 63 + SUFFIX,
        "a" * 64 + SUFFIX,
        "a." * 120 + "zone.test",
        "münchen.zone.test",
        "a..zone.test",
        "*.zone.test",
    ),
    *("127.0.0.1.zone.test.", "0x7f.1", "1.2.3", "256.256.256.256", "1e3.5", "[::1", "::1", "[v1.x]", "[::1]x", "[]"),
)
