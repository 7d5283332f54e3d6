"""Certificates of proofs for all constants: the sufficient hypotheses, and each obligation as SMT-LIB."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from verifier.errors import UsageError
from verifier.files import read_text
from verifier.json_shape import check_shape, read_json
from verifier.parametric.deciding import CHECKER
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.obligation import Obligation
from verifier.parametric.obligations import Obligations
from verifier.parametric.premises import FACT
from verifier.parametric.protocol_readings import ParametricReading
from verifier.parametric.proving import AT_ONCE, NOT_KEPT, PROVABLE, Attempt, Listed, Proofs, list_lemmas
from verifier.parametric.query import Query
from verifier.parametric.results import Shown
from verifier.processes.limits import INTERRUPTED, Limits
from verifier.processes.pool import Task, run_tasks, serve
from verifier.processes.watching import within
from verifier.solvers import Answer
from verifier.solvers.solver_names import decide_script, load_script_solvers
from verifier.specs.definition import PropertyKind

_KIND = "verify certificate for all constants"
FORMAT = f"{_KIND} 3"


class _Step(TypedDict):
    name: str
    effort: int
    with_stays: bool
    kept: list[int]
    smt2: str


class ReadWith(TypedDict):
    """The invariants and lemmas with which a protocol was read, in their order. The instances of hypotheses
    are numbered among those of all lemmas."""

    properties: list[str]
    lemmas: list[str]


class Content(TypedDict):
    """The required content of a file."""

    format: str
    spec: str
    spec_hash: str
    constants: dict[str, bool | int | str]
    property: str
    kept: bool
    with_stays: bool
    assumptions: list[str]
    read_with: ReadWith
    lemmas: list[str]
    obligations: list[_Step]


_DIFFER = (
    "differ from what verify makes of the spec. Either the spec changed since the proof, or the file was "
    "edited: prove the property again"
)


class Misfit(UsageError):
    """Raised if a certificate cannot be read, or does not fit the protocol."""


def dump(reading: ParametricReading, attempt: Attempt) -> str:
    """Return the certificate of a proof as JSON."""
    steps = [
        _Step(name=one.name, effort=one.effort, with_stays=one.with_stays, kept=list(one.kept), smt2=one.smt2)
        for one in attempt.results.values()
        if isinstance(one, Shown)
    ]
    content = Content(
        format=FORMAT,
        spec=reading.definition.name,
        spec_hash=reading.spec_hash,
        constants=dict(reading.constants),
        property=attempt.property_name,
        kept=attempt.kept,
        with_stays=attempt.with_stays,
        assumptions=list(reading.assumed),
        read_with=_read_with(reading),
        lemmas=list(attempt.needed),
        obligations=steps,
    )
    return json.dumps({**content, "digest": _digest(content)}, ensure_ascii=False, indent=1) + "\n"


def _read_with(reading: ParametricReading) -> ReadWith:
    definition = reading.definition
    properties = [prop.name for prop in definition.properties if prop.kind is PropertyKind.INVARIANT]
    return ReadWith(properties=properties, lemmas=[lemma.name for lemma in definition.lemmas])


def _digest(content: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def is_one(content: Mapping[str, Any]) -> bool:
    """True if the content of a file claims to be a certificate for all constants."""
    return str(content.get("format")).startswith(_KIND)


def read(path: Path, given: Mapping[str, Any] | None = None) -> Content:
    """Return the content of a file. ``given``: the content, if it was read already. Raises Misfit if it is no
    certificate or was changed."""
    try:
        content: Any = read_json(read_text(path)) if given is None else given
        if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
            words = f"it is a “{content['format']}”, and this version writes “{FORMAT}”"
            raise UsageError(f"{words}: prove the property again")
        check_shape(content, Content, "")
    except (ValueError, UsageError) as error:
        raise Misfit(f"{path} is not a certificate: {error}") from None
    if content.get("digest") != _digest(content):
        raise Misfit(f"{path} was changed since it was written: its digest is another")
    checked: Content = content
    return checked


@dataclass(frozen=True)
class Checked:
    """The result of a check: the obligations that were decided, and those that were not."""

    obligations: int
    failed: tuple[str, ...]
    limit: str | None = None


def check(reading: ParametricReading, content: Content, limits: Limits, solver: str = CHECKER) -> Checked:
    """Check a certificate. All formulas are made again from the protocol. The file only names the instances
    of lemmas that suffice. Raises Misfit if the file is of another protocol, or leaves an obligation out."""
    load_script_solvers()
    _require_fit(reading, content)
    fitting = within(limits, lambda: _Fitting.of(Proofs.of(reading), content))
    server = serve(partial(_answer, solver, fitting))
    needed, failed, asked = set[str](), list[str](), 0
    tasks: deque[Task] = deque()

    def need(claim: str) -> None:
        if claim not in needed:
            needed.add(claim)
            for one in fitting.whole.claims[claim]:
                fitting.of_step(claim, one.name)  # a misfit ends the check before a solver is asked
                tasks.append(Task(one.name, server, limits, (claim, one.name)))

    limit = None
    try:
        for claim in (
            content["property"],
            *fitting.whole.obligations.list_needed_claims(content["property"]),
        ):
            need(claim)
        for done in run_tasks(tasks, AT_ONCE):
            asked += 1
            result = next(
                (one for one in done.reported if isinstance(one, _StepResult | str)), _StepResult(False, ())
            )
            if isinstance(result, str):
                raise Misfit(result)
            if not result.shown:
                failed.append(done.name)
            for claim in result.uses:
                need(claim)
            limits.check_time()
    except KeyboardInterrupt:
        limit = INTERRUPTED
    if not (failed or limit) and content["lemmas"] != list(list_lemmas(fitting.whole, needed)):
        raise Misfit("the certificate says that it needs other lemmas than its obligations use")
    return Checked(asked, tuple(failed), limit)


def _require_fit(reading: ParametricReading, content: Content) -> None:
    name = reading.definition.name
    if content["spec"] != name or content["spec_hash"] != reading.spec_hash:
        raise Misfit(f"the certificate is of another protocol than {name}, or of another version of it")
    if content["constants"] != dict(reading.constants):
        raise Misfit(f"the certificate was made at other constants than those at which {name} is read")
    claimed = content["property"]
    if claimed not in {prop.name for prop in reading.definition.properties if prop.kind in PROVABLE}:
        raise Misfit(f"such a certificate is of an invariant, and {name} has none called {claimed}")
    kinds = {p.name: p.kind for p in reading.definition.properties}
    if content["kept"] and kinds[claimed] in NOT_KEPT:
        raise Misfit(f"{claimed} is a {kinds[claimed]}, and actions keep none")
    if content["read_with"] != _read_with(reading):
        raise Misfit(f"the certificate is of {name} with other properties and lemmas")
    if content["assumptions"] != list(reading.assumed):
        raise Misfit(f"the certificate assumes other things of the constants than {name} does")


@dataclass(frozen=True)
class _StepResult:
    """The result for one obligation: true if the solver shows it, and the lemmas that this needs."""

    shown: bool
    uses: tuple[str, ...]


@dataclass(frozen=True)
class _Fitting:
    """The obligations of a file, and its statements about each."""

    steps: Mapping[str, _Step]
    listed: Mapping[bool, Listed]
    whole: Listed
    """All obligations that the claim can need."""

    @staticmethod
    def of(proofs: Proofs, content: Content) -> _Fitting:
        name, kept = content["property"], content["kept"]
        listed = {False: proofs.list_obligations(name, kept=False)}
        if kept:
            listed[False] = proofs.list_obligations(name, kept=True)
        if content["with_stays"]:
            listed[True] = proofs.list_obligations(name, kept=kept, with_stays=True)
        steps = {step["name"]: step for step in content["obligations"]}
        return _Fitting(steps, listed, listed[content["with_stays"]])

    def of_step(self, claim: str, name: str) -> tuple[Obligations, Obligation, _Step]:
        """Return the file's step for an obligation. Raises Misfit if it has none."""
        step = self.steps.get(name)
        if step is None or not 0 <= step["effort"] < len(EFFORTS) or step["with_stays"] not in self.listed:
            raise Misfit(f"the certificate leaves out that {name} holds")
        source = self.listed[step["with_stays"]]
        same = source.find(claim, name)
        if same is None:
            raise Misfit(f"the certificate assumes less than {name} is about")
        return source.obligations, same, step


def _answer(solver: str, fitting: _Fitting, request: tuple[str, str]) -> _StepResult | str:
    """Return the result for the obligation of a claim and a name, or why the certificate does not fit. The
    process that asks the solver makes the text: the texts of all obligations take gigabytes."""
    try:
        text, uses = _make_text(*fitting.of_step(*request))
    except Misfit as misfit:
        return str(misfit)
    return _StepResult(decide_script(solver, text).answer is Answer.UNSATISFIABLE, uses)


def _make_text(obligations: Obligations, obligation: Obligation, step: _Step) -> tuple[str, tuple[str, ...]]:
    """Return the text of an obligation, and the lemmas that it instantiates. Raises Misfit if the file's text
    differs."""
    asked = Query.of(obligations, obligation, EFFORTS[step["effort"]])
    if not all(0 <= place < asked.size for place in step["kept"]):
        raise Misfit(f"the lemmas of the obligation {obligation.name} {_DIFFER}")
    text = asked.script(step["kept"])
    if text != step["smt2"]:
        raise Misfit(f"the SMT-LIB lines of the obligation {obligation.name} {_DIFFER}")
    return text, tuple(dict.fromkeys(name for name in map(asked.lemma, step["kept"]) if name != FACT))


def describe_results(results: Sequence[Any]) -> list[dict[str, Any]]:
    """Return results as JSON."""
    return [asdict(one) for one in results]
