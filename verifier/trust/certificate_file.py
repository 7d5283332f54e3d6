"""The file of a run's certificates: one for each property that it proved, and the properties that it did not.

A run that was asked for one property writes its certificate alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from verifier.errors import UsageError
from verifier.files import explain_no_json, read_text
from verifier.json_shape import check_shape, read_json

FORMAT = "verify certificates 1"


class Misfit(UsageError):
    """A certificate cannot be read, or does not fit the protocol."""


class _File(TypedDict):
    format: str
    certificates: list[dict[str, Any]]
    not_proved: dict[str, str]
    digest: str


@dataclass(frozen=True)
class CertificateFile:
    """The certificates in a file, and the properties that the run did not prove."""

    contents: tuple[Mapping[str, Any], ...]
    not_proved: Mapping[str, str]
    """The properties that the run was asked for and did not prove, with their verdicts."""


def join_certificates(texts: Sequence[str], not_proved: Mapping[str, str]) -> str:
    """The text of a file, from those of its certificates."""
    content = {
        "format": FORMAT,
        "certificates": [json.loads(text) for text in texts],
        "not_proved": dict(not_proved),
    }
    return json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False, indent=1) + "\n"


def digest_of(content: Mapping[str, Any]) -> str:
    """The digest that reveals a change of a file. Whoever changes it on purpose can change this too."""
    plain = {name: value for name, value in content.items() if name != "digest"}
    words = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def read_file(path: Path) -> CertificateFile:
    """Read a file. Raises Misfit if it is no file of certificates, or was changed."""
    content = json_of(path)
    if content.get("format") != FORMAT:
        return CertificateFile((content,), {})
    try:
        check_shape(content, _File, "")
    except UsageError as error:
        raise Misfit(f"{path} is not a file of certificates: {error}") from None
    if content["digest"] != digest_of(content):
        raise Misfit(f"{path} was changed since it was written: its digest is another")
    if not content["certificates"]:
        raise Misfit(f"{path} has no certificate")
    return CertificateFile(tuple(content["certificates"]), content["not_proved"])


def json_of(path: Path) -> dict[str, Any]:
    """The object in a file. Raises Misfit if there is none."""
    try:
        content = read_json(read_text(path))
    except ValueError as error:
        reason = explain_no_json(path, error)
        raise Misfit(f"{path} cannot be read as a certificate: {reason}") from None
    if not isinstance(content, dict):
        raise Misfit(f"{path} is not a certificate: it is not an object")
    return content
