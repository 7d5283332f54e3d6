"""The contents of a verdict's page, and its execution as the scripts read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from verifier.encodings.concrete import show_constants
from verifier.outcomes.row import DOCUMENTED, LEMMA, PLACES, Row
from verifier.printable import json_text
from verifier.report.claims import claim_of, finder_of, is_complete, verdict_of
from verifier.report.diagram import Diagram, DiagramStep
from verifier.report.fair_loop import close_loop, fair_lines, unmet_lines
from verifier.report.known import Known, find_known_answer
from verifier.report.packed_diagram import pack_diagram
from verifier.report.properties import Asked, asked_of
from verifier.report.report import command_of, file_of
from verifier.report.tables import failure_lines
from verifier.report.telling import Told, failing_name, tell
from verifier.report.trace_diagram import diagram_of
from verifier.verdict import VerdictKind

_INITIAL = ("initially", "init")
"""The columns of what must hold in the first states."""
_LONGEST_ITF = 500_000
"""An execution of more characters is not in a page as ITF too."""

MARKS: Mapping[VerdictKind, str] = {
    VerdictKind.PROVED: "■",
    VerdictKind.HOLDS: "✓",
    VerdictKind.REACHED: "◎",
    VerdictKind.VIOLATED: "✗",
    VerdictKind.NOT_INDUCTIVE: "△",
    VerdictKind.INCONCLUSIVE: "?",
    VerdictKind.ERROR: "!",
}
"""A sign for each verdict beside its colour."""


@dataclass(frozen=True)
class VerdictPage:
    """The parts of a row that the template shows."""

    address: str
    label: str
    """The property, and what else tells this verdict from others of the report."""
    row: Row
    words: str
    mark: str
    claim: str
    finder: str
    """Who found a proof, and how."""
    asked: Asked | None
    """The property, or the lemma that fails in its place."""
    lemma: str
    """The name of that lemma; empty if there is none."""
    command: str
    file: str
    """The module's or protocol's file that the command names, without its folder; empty if it is built in."""
    facts: tuple[tuple[str, str], ...]
    failing: tuple[str, ...]
    told: Told | None
    """Sentences on what the execution does wrong."""
    loop: tuple[str, ...]
    """The loop of an infinite execution, and what is false in it, in words."""
    fair: tuple[str, ...]
    """Why the loop meets each fairness condition."""
    trace: Markup | None
    itf: Markup | None
    """The execution as a file has it, to be copied."""
    steps: Sequence[DiagramStep]
    """The execution, for who has no scripts."""
    changes: Sequence[Sequence[str]]
    """The changes of each step, in words."""
    first: Sequence[tuple[str, str]]
    """The places of the first state with their values."""
    table: tuple[tuple[str, ...], ...]
    """For a proof: a line of actions, then a line for each lemma with the result for each action."""
    levels: tuple[tuple[int, int, float], ...]
    """For an exploration: the depth and states of each level, and the share of the largest level."""
    beyond_levels: str
    """A sentence on states that were found and are in none of these levels; empty if there are none."""
    known: Known | None
    """The answer of an independent checker."""
    is_complete: bool
    """True if every reachable state was explored."""
    searches: tuple[tuple[str, str], ...]
    """The searches that took part, each with its figures."""


def verdict_page(address: str, label: str, row: Row, *, with_itf: bool, source: str = "") -> VerdictPage:
    """The page of a row. ``with_itf``: with its execution as a file has it. ``source``: the file that says
    it, if nobody checked it."""
    diagram = None if row.trace is None else diagram_of(close_loop(row.trace), row.drawing)
    return VerdictPage(
        address=address,
        label=label,
        row=row,
        words=verdict_of(row),
        mark=MARKS[row.verdict],
        claim=f"{source} says: {claim_of(row)}" if source else claim_of(row),
        finder=finder_of(row),
        asked=asked_of(row),
        lemma=failing_name(row) if LEMMA in row.statistics else "",
        command=command_of(row),
        file=file_of(row),
        facts=tuple(_facts(row)),
        failing=() if diagram is None else tuple(failure_lines(diagram)),
        told=None if diagram is None else tell(row, diagram),
        loop=() if row.trace is None else tuple(unmet_lines(row.trace)),
        fair=() if row.trace is None else tuple(fair_lines(row.trace)),
        trace=None if diagram is None else embed(_pack(row, diagram)),
        itf=itf_of(row) if with_itf else None,
        steps=() if diagram is None else diagram.steps,
        changes=()
        if diagram is None
        else [[diagram.say(change) for change in step.changes] for step in diagram.steps],
        first=() if diagram is None else diagram.first_state,
        table=_obligations(row),
        levels=_levels(row),
        beyond_levels=_beyond_levels(row),
        known=find_known_answer(row),
        is_complete=row.verdict is VerdictKind.HOLDS and is_complete(row),
        searches=tuple(_searches(row)),
    )


def _facts(row: Row) -> list[tuple[str, str]]:
    # A run that ends before anybody looks has 0, which nobody measured.
    memory = f"{row.peak_memory / 2**20:.0f} MiB" if row.peak_memory else ""
    # Of searches side by side, the one that looked at all states needed no solver.
    by_solver = (row.proof or {}).get("found_by") != "explore"
    options = {name: value for name, value in row.options.items() if value not in (None, [], ())}
    facts = [
        ("constants", row.shown_constants),
        ("spec hash", row.spec_hash),
        ("engine", row.engine),
        ("options", show_constants({k: _plain(v) for k, v in options.items()})),
        ("solver", f"{row.solver} {row.solver_version}".strip() if by_solver else ""),
        ("verify", row.tool_version),
        ("time", f"{row.seconds:.1f} s"),
        ("peak memory", memory),
        ("depth", "" if row.depth is None else str(row.depth)),
        ("run", f"{row.run_id} on {row.host}"),
        ("started", _time(row.started_at)),
        ("job", row.job_id),
    ]
    return [(name, value) for name, value in facts if value]


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _time(started_at: str) -> str:
    try:
        return datetime.fromisoformat(started_at).strftime("%Y-%m-%d %H:%M:%S UTC")
    except ValueError:
        return started_at


def _searches(row: Row) -> list[tuple[str, str]]:
    provers = row.statistics.get("provers") or {}
    parts = row.statistics.get("searches") or provers.get(row.property_name) or {}
    return [(name, show_constants(figures)) for name, figures in parts.items()]


def _beyond_levels(row: Row) -> str:
    """Say why the levels sum to less than the number of states."""
    total, distinct = sum(row.statistics.get("levels") or []), row.statistics.get("distinct_states")
    if not total or not isinstance(distinct, int) or distinct <= total:
        return ""
    more = distinct - total
    were = "1 more state was" if more == 1 else f"{more:,} more states were"
    states = "1 state" if total == 1 else f"{total:,} states"
    return f"{states} in all. {were} found beyond, {distinct:,} together, and not looked at."


def _levels(row: Row) -> tuple[tuple[int, int, float], ...]:
    counts = row.statistics.get("levels") or []
    most = max(counts, default=1) or 1
    return tuple((depth, count, round(count / most, 4)) for depth, count in enumerate(counts))


def _obligations(row: Row) -> tuple[tuple[str, ...], ...]:
    obligations: Sequence[Mapping[str, Any]] = (row.proof or {}).get("obligations") or ()
    initial = {
        item["at"] for item in obligations if item.get("kind") == "initiation" or item["at"] in _INITIAL
    }
    at = dict.fromkeys(item["at"] for item in obligations)
    places = sorted(at, key=lambda place: (place == "safety", place not in initial))
    formulas = list(dict.fromkeys(item["formula"] for item in obligations))
    cells = {(item["formula"], item["at"]): item for item in obligations}
    lines = [(formula, *(_obligation(cells.get((formula, at))) for at in places)) for formula in formulas]
    return (("", *places), *lines) if obligations else ()


def _obligation(item: Mapping[str, Any] | None) -> str:
    if item is None:
        return "·"
    if item["holds"] is None:
        return "?"
    if not item["holds"]:
        return "✗"
    return f"{item['seconds']:.3f}" if item["seconds"] >= 0.0005 else "0"


def _pack(row: Row, diagram: Diagram) -> dict[str, Any]:
    """The diagram for the page's scripts, with what the row knows of the execution."""
    return pack_diagram(
        diagram,
        property_name=failing_name(row),
        start="a state, maybe unreachable" if row.verdict is VerdictKind.NOT_INDUCTIVE else "initially",
        loop=None if row.trace is None else row.trace.get("loop"),
        documented=row.statistics.get(DOCUMENTED, {}),
        written=row.statistics.get(PLACES, {}),
    )


def itf_of(row: Row) -> Markup | None:
    """The execution as ITF; None if that is large."""
    text = None if row.trace is None else embed(row.trace)
    return None if text is None or len(text) > _LONGEST_ITF else text


def embed(data: Any) -> Markup:
    """JSON for a script element. Nothing in it can end the element or begin another."""
    text = json_text(data, None, (",", ":"))
    for character in ("<", ">", "&"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
