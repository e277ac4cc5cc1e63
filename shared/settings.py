"""Settings of every process: `OUTLAST_*` variables, secrets from files, read once in `__main__`."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, HttpUrl, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from shared.errors import UsageError

MOST_PARTS = 10_000
"""Most parts of a multipart upload (Amazon S3, "multipart upload limits")."""
DOORS = ("intake", "poller", "webhooks")
"""The ways in which events come to ingest."""


class Settings(BaseSettings):
    """What a process of Outlast is told from outside; every field is the variable `OUTLAST_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="OUTLAST_", hide_input_in_errors=True, extra="ignore")

    database_url: SecretStr = Field(description="libpq URL; its user is the service's own Postgres role.")
    database_password_file: Path | None = Field(None, description="File with the password of that role.")
    amqp_url: SecretStr = Field(description="AMQP URL with user and virtual host.")
    amqp_password_file: Path | None = Field(None, description="File with the password of that user.")

    s3_endpoint: HttpUrl = Field(HttpUrl("http://127.0.0.1:9000"), description="Base URL of the S3 service.")
    s3_region: str = Field("us-east-1", description="Region used in S3 signatures.")
    s3_access_key: str = Field("", description="Access key of the service's own S3 user.")
    s3_secret_key_file: Path | None = Field(None, description="File with the S3 secret key.")
    staging_bucket: str = Field("outlast-staging", description="Bucket of unproven bytes.")
    assets_bucket: str = Field("outlast-assets", description="Bucket of proven assets.")
    input_bucket: str = Field("outlast-input", description="Bucket whose objects are captured; ours never write there.")
    input_prefix: str = Field(
        "", pattern=r"^(|.*/)$", description="Only keys under it are input: empty, or ends with /."
    )
    output_bucket: str = Field("outlast-output", description="Bucket of the results of processors.")
    s3_part_bytes: int = Field(
        8 * 2**20, ge=5 * 2**20, description="Bytes of one part of a multipart upload; a transfer holds up to three."
    )
    bytes_in_flight: int = Field(
        64 * 2**20,
        gt=0,
        description="Most bytes of parts that all transfers of a process hold; each may always hold one part.",
    )

    keyring_file: Path | None = Field(None, description="File of sealing keys: `id:base64`, newest first.")
    providers_dir: Path | None = Field(None, description="Folder of further provider files (TOML).")
    egress_allow: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Exact `ip:port` pairs allowed in spite of the deny table; for tests and the demo only.",
    )
    egress_http: bool = Field(False, description="Allow plain http sources.")
    max_object_bytes: int = Field(20 * 2**30, gt=0, description="Largest output that is captured, in bytes.")

    doors: Annotated[tuple[str, ...], NoDecode] = Field(
        ("intake", "poller"),
        description="Ways in which this ingest takes events: intake, poller, webhooks.",
    )
    webhook_host: str = Field("127.0.0.1", description="Address at which webhooks are taken.")
    webhook_port: int = Field(0, ge=0, le=65535, description="Port of the same; 0 takes a free one and logs it.")
    webhook_url: HttpUrl | None = Field(
        None, description="Public base URL of the same, under which providers reach it; its path is part of theirs."
    )
    webhook_key_file: Path | None = Field(
        None, description="File of the keys of callback addresses: a line of base64 each, newest first."
    )
    webhook_bytes: int = Field(4 * 2**20, gt=0, description="Largest body of a webhook that is read, in bytes.")

    questions: int = Field(
        16, ge=2, le=256, description="Questions to providers that this process asks at once; half for one of them."
    )
    generation_seconds: float = Field(
        86400.0, gt=0, description="Time until a started job that nobody reported is told as silent."
    )
    envelope_seconds: float = Field(
        600.0, gt=0, description="Time until an object that only its store told of is told as without envelope."
    )

    slots: int = Field(4, ge=1, le=256, description="Tasks that this process works on at once.")
    slots_per_lane: int | None = Field(
        None, ge=1, description="Of those, the most on one lane (provider and host); half of the slots if not set."
    )
    lease_seconds: float = Field(30.0, gt=0, description="Life of a lease.")
    renew_seconds: float = Field(10.0, gt=0, description="Time between renewals of all leases of a process.")
    poll_seconds: float = Field(2.0, gt=0, description="Time after which an idle slot looks by itself.")
    grace_seconds: float = Field(25.0, ge=0, description="Time from SIGTERM to the end of the process.")

    connect_seconds: float = Field(10.0, gt=0, description="Limit for one connection to a source.")
    idle_seconds: float = Field(30.0, gt=0, description="Limit for silence of a source.")
    transfer_seconds: float = Field(3600.0, gt=0, description="Limit for one whole transfer.")
    min_bytes_per_second: int = Field(1024, ge=0, description="Slowest average rate kept after a first 30 s.")
    max_bytes_per_second: int | None = Field(
        None,
        gt=0,
        description="Most bytes per second that all transfers of a process take together; no limit if not set.",
    )

    probe_socket: Path | None = Field(None, description="Unix socket of a probe that somebody else started.")
    probe_seconds: float = Field(60.0, gt=0, description="Wall-clock limit of the examination of one file.")
    probe_memory_bytes: int = Field(1 * 2**30, gt=0, description="Memory limit of one examination, in bytes.")
    accept_undecoded: Annotated[tuple[Literal["heic", "jxl"], ...], NoDecode] = Field(
        (),
        description="Images that no decoder here reads and that are accepted all the same, noted as "
        "`depth_not_checked`: heic, jxl.",
    )
    work_dir: Path | None = Field(None, description="Folder for the files under examination.")
    work_bytes: int = Field(
        40 * 2**30,
        gt=0,
        description="Most bytes that the files under examination take together, a task waits for its share; at least "
        "OUTLAST_MAX_OBJECT_BYTES.",
    )

    clamd: str = Field(
        "",
        pattern=r"^(|unix:/.+|tcp:.+:[0-9]{1,5})$",
        description="The clamd that scans every file: `unix:/path` or `tcp:host:port`; no scan if empty.",
    )
    clamd_seconds: float = Field(
        150.0, gt=0, description="Longest silence of clamd; let it be over its MaxScanTime (120 s)."
    )
    clamd_bytes: int = Field(
        25 * 2**20,
        gt=0,
        description="Largest file that clamd scans whole, the least of its StreamMaxLength, MaxFileSize and "
        "MaxScanSize; a larger one is held for review.",
    )
    review_url: SecretStr | None = Field(
        None, description="The review hook, asked about every file that is proven; no review if not set."
    )
    review_secret_file: Path | None = Field(
        None, description="File of the secret (`whsec_...`) that signs these questions by Standard Webhooks."
    )
    review_seconds: float = Field(30.0, gt=0, description="Limit for one answer of the review hook.")

    rejected_seconds: float = Field(
        30 * 86400.0, gt=0, description="How long refused bytes stay in staging, marked for `outlast rejected`."
    )

    http_host: str = Field("127.0.0.1", description="Address of `/livez`, `/readyz` and `/metrics`.")
    http_port: int = Field(0, ge=0, le=65535, description="Port of the same; 0 takes a free one and logs it.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level logged.")
    log_format: Literal["json", "text"] = Field("json", description="JSON lines, or text for a terminal.")
    traces: Literal["off", "console", "otlp"] = Field(
        "off", description="Trace exporter; `otlp` reads the OTEL_EXPORTER_OTLP_* variables."
    )

    @model_validator(mode="after")
    def _fits_one_upload(self) -> Self:
        if self.max_object_bytes > MOST_PARTS * self.s3_part_bytes:
            raise ValueError(
                f"OUTLAST_MAX_OBJECT_BYTES is over {MOST_PARTS} times OUTLAST_S3_PART_BYTES; raise the latter"
            )
        return self

    @model_validator(mode="after")
    def _holds_one_part(self) -> Self:
        if self.bytes_in_flight < self.s3_part_bytes:
            raise ValueError("OUTLAST_BYTES_IN_FLIGHT is under one part; set it to OUTLAST_S3_PART_BYTES or more")
        return self

    @field_validator("egress_allow", "doors", "accept_undecoded", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("doors")
    @classmethod
    def _are_doors(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or not set(value) <= set(DOORS):
            raise ValueError(f"names one or more of {', '.join(DOORS)}, by commas")
        return value

    @field_validator("webhook_url")
    @classmethod
    def _is_a_base(cls, value: HttpUrl | None) -> HttpUrl | None:
        if value and (value.query or value.fragment or value.username or value.password):
            raise ValueError("a base URL is written as https://host or https://host/path")
        return value


def secret_from(path: Path | None) -> str:
    """The secret in a file, without the line's end; empty without a file. Raises UsageError if unreadable."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UsageError(f"Cannot read the secret file {path}: {error.strerror}.") from error


def load_settings() -> Settings:
    """Read the settings from the environment.

    Raises UsageError naming each variable that is missing or wrong, never its value.
    """
    try:
        return Settings()
    except ValidationError as error:
        lines = [
            ": ".join(["_".join(["OUTLAST", *map(str, e["loc"])]).upper(), e["msg"]] if e["loc"] else [e["msg"]])
            for e in error.errors()
        ]
        raise UsageError("Settings are missing or wrong:\n  " + "\n  ".join(lines)) from None
