"""Rows: one verdict of one run, flat. What sweeps store and reports are made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from verifier.encodings.concrete import show_constants
from verifier.errors import UsageError
from verifier.json_shape import check_shape
from verifier.outcomes.expectations import exit_codes, parse_expectations
from verifier.outcomes.former_names import current_name, name_in_keys
from verifier.outcomes.json_types import RowObject, RunObject
from verifier.specs.temporal import SPEC_FAIRNESS
from verifier.specs.titles import deadlock_title
from verifier.verdict import ExitCode, VerdictKind, in_words

_NOT_ASKED = ("timeout", "memory", "workers", "master", "work", "resume", "archive", "conf")
"""Options that say how long and where something runs."""
_DEPTHS = ("depth", "max_depth")
"""Options that say how deep to look. Results of earlier versions have the second."""
_CLOSING = (VerdictKind.HOLDS, VerdictKind.INCONCLUSIVE)
"""Verdicts whose depth is one that was closed."""

ASKED = "asked"
"""The figure with the question: the property's kind, formula and documentation."""
LIBRARIES, LEMMAS = "libraries", "named_lemmas"
"""The figures with what was named for the reading of a module."""
LEMMA = "failing_lemma"
"""The figure with the lemma that fails in the place of the property: its kind, formula and documentation."""
ASSUMED = "assumed"
"""The figure of a failed induction with the formulas that hold in the state it begins in."""
FILE = "file"
"""The figure with the file of a protocol that is not built in, without its folder."""
TRACE_FILE = "trace_file"
"""The figure of a replay with the name of the file that was replayed."""
DOCUMENTED = "documented"
"""The figure that says what the actions of an execution do."""
PLACES = "places"
"""The figure that says where the actions of an execution are written."""
ASSUMPTIONS = "assumptions"
"""The figure of a proof for all constants with its assumptions on them."""


@dataclass(frozen=True)
class Row:
    """The verdict on one property of one protocol at one choice of constants."""

    job_id: str
    """The hash of the question: spec, constants, property, engine, options, version of this program."""
    run_id: str
    """The command that ran the job."""
    spec: str
    spec_hash: str
    constants: Mapping[str, Any]
    property_name: str
    engine: str
    options: Mapping[str, Any]
    solver: str
    """Names joined by ``+`` where several took part; empty if none did."""
    solver_version: str
    tool_version: str
    verdict: VerdictKind
    depth: int | None
    """The depth closed, or searched; None if not even the initial states were."""
    reason: str | None
    seconds: float
    """The time of the whole run, with building."""
    peak_memory: int | None
    """Bytes; None if it was not measured."""
    steps: int | None
    """Actions of the counterexample or witness."""
    fewest: bool | None
    trace: Mapping[str, Any] | None
    """ITF."""
    proof: Mapping[str, Any] | None
    """Who found and who checked the invariant, its lemmas and clauses, the obligations."""
    statistics: Mapping[str, Any]
    """The figures of the engine's JSON output."""
    drawing: Mapping[str, Any] | None
    """The protocol's drawing of its traces; None if it has none."""
    exit_code: int
    """The exit code of this verdict, expectations applied."""
    error: str | None
    """The reason for a verdict ERROR."""
    host: str
    started_at: str
    """ISO 8601, UTC."""

    @property
    def shown_constants(self) -> str:
        """Return ``replicas=3, log_size=2``; for a proof for all constants, its assumptions on them."""
        if not self.is_for_all_constants:
            return show_constants(self.constants)
        return ", ".join(["all constants", *self.statistics[ASSUMPTIONS]])

    @property
    def words(self) -> str:
        """Return the verdict in words."""
        searches = not self.is_for_all_constants
        return in_words(self.verdict, self.depth, self.steps, self.reason, searches_depths=searches)

    @property
    def is_for_all_constants(self) -> bool:
        """True if the verdict is of a proof for all constants."""
        return ASSUMPTIONS in self.statistics

    @property
    def claim(self) -> str:
        """The property; its fairness unless that is the protocol's own, and whether for all constants."""
        fairness = self.options.get("fairness", SPEC_FAIRNESS)
        about = [] if fairness == SPEC_FAIRNESS else [fairness]
        about += ["all constants"] if self.is_for_all_constants else []
        return f"{self.property_name} ({', '.join(about)})" if about else self.property_name

    @property
    def identity(self) -> str:
        """Return the key that follows from the row's question."""
        asked = (self.spec_hash, self.constants, self.property_name, self.engine)
        return job_id(*asked, self.options, self.tool_version)


def check_run(content: Mapping[str, Any]) -> None:
    """Raises UsageError, which names the place, where a run's object that was read from a file is none."""
    check_shape(content, RunObject, "")


def check_row(row: Row, place: str) -> None:
    """Raises UsageError, which names the place, where a row that was read from a file is not as they are."""
    check_shape({field.name: getattr(row, field.name) for field in fields(row)}, RowObject, place)


def check_claim(row: Row, place: str) -> None:
    """Raises UsageError, which names the place, where a row answers another question than its key says, or
    claims more than was asked."""
    if row.job_id != row.identity:
        raise UsageError(f"{place} has another key than follows from what it says was asked")
    if row.exit_code not in list(ExitCode):
        raise UsageError(f"{place} has the exit code {row.exit_code}, which there is not")
    for name in _DEPTHS:
        most = row.options.get(name)
        if row.verdict in _CLOSING and isinstance(most, int) and (row.depth or 0) > most:
            raise UsageError(f"{place} claims depth {row.depth} where {name} {most} was asked for")


def job_id(
    spec_hash: str,
    constants: Mapping[str, Any],
    property_name: str,
    engine: str,
    options: Mapping[str, Any],
    tool_version: str,
) -> str:
    """Return the key of a job: the same question has the same key, on any machine. It has sixteen hexadecimal
    digits. Limits of time and memory, and the place of the run, are no part of the question."""
    meant = {name: value for name, value in options.items() if name not in _NOT_ASKED}
    asked = [spec_hash, dict(constants), property_name, name_in_keys(engine), meant, tool_version]
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def rows_of(content: Mapping[str, Any]) -> Sequence[Row]:
    """The rows of a run's object (``verifier.outcomes.content.as_object``), one for each property.

    An object that was read from a file must have been checked (``check_run``). Raises UsageError for
    expectations that are none.
    """
    proofs = {proof["property"]: proof for proof in content.get("proofs", ())}
    options = {name: value for name, value in content["options"].items() if name != "properties"}
    about = content["about"]
    codes = exit_codes_of(content)
    constants, statistics = content["constants"], content["statistics"]
    if isinstance(constants, str):  # a proof for all of them
        constants, statistics = {}, {**statistics, ASSUMPTIONS: list(content.get("assumptions", ()))}
    return [
        Row(
            job_id=job_id(
                content["spec_hash"],
                constants,
                result["property"],
                content["engine"],
                options,
                about["tool_version"],
            ),
            run_id=about["run_id"],
            spec=content["spec"],
            spec_hash=content["spec_hash"],
            constants=constants,
            property_name=result["property"],
            engine=current_name(content["engine"]),
            options=options,
            solver=content["solver"]["name"],
            solver_version=content["solver"]["version"],
            tool_version=about["tool_version"],
            verdict=VerdictKind(result["verdict"]),
            depth=result["depth"],
            reason=result["reason"],
            seconds=content["seconds"],
            peak_memory=content["statistics"].get("peak_memory_bytes"),
            steps=result["steps"],
            fewest=result["fewest"],
            trace=result["trace"],
            proof=proofs.get(result["property"]),
            statistics={**statistics, **_document(content, result)},
            drawing=content.get("drawing"),
            exit_code=code,
            error=result["reason"] if result["verdict"] == VerdictKind.ERROR else None,
            host=about["host"],
            started_at=about["started_at"],
        )
        for result, code in zip(content["results"], codes, strict=True)
    ]


def _document(content: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """The documentation of a property and of the actions of its execution, and where these are written."""
    asked = content.get("asked", {}).get(result["property"])
    said: dict[str, Any] = {} if asked is None else {ASKED: asked}
    if result["trace"] is None:
        return said
    failing = content.get("asked", {}).get(result["trace"]["#meta"].get("property"))
    said |= {LEMMA: failing} if failing is not None and failing is not asked else {}
    taken = {state.get("#meta", {}).get("action") for state in result["trace"]["states"]}
    taken.add(result["trace"]["#meta"].get("loop", {}).get("action"))
    for figure in (DOCUMENTED, PLACES):
        of_taken = {name: words for name, words in content.get(figure, {}).items() if name in taken}
        said |= {figure: of_taken} if of_taken else {}
    return said


def exit_codes_of(content: Mapping[str, Any]) -> Sequence[int]:
    """Return the exit code of each verdict. If an action was never enabled although that was expected, none
    is a success."""
    kinds = [(result["property"], VerdictKind(result["verdict"])) for result in content["results"]]
    title = deadlock_title(content["statistics"])
    of_verdicts = [word for word in content.get("expected", ()) if not word.lower().endswith("=enabled")]
    expectations = parse_expectations(of_verdicts, [name for name, _ in kinds], no_deadlock=title)
    missing = [ExitCode.NOT_AS_EXPECTED for _ in content.get("expected_but_never_enabled", ())]
    return [ExitCode.worst([code, *missing]) for code in exit_codes(kinds, expectations)]
