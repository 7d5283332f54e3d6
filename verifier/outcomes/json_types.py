"""The JSON objects of runs, as types: what a report relies on where they were read from a file.

``verifier.outcomes.content`` writes them, ``verifier.json_shape`` checks them. Further keys are allowed.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from verifier.verdict import VerdictKind


class Lane(TypedDict):
    """A column of a drawing."""

    name: str
    kind: str
    variables: list[str]
    actions: list[str]
    element: NotRequired[str]


class Mail(TypedDict):
    """Messages that the state holds (``verifier.specs.drawing.Mail``)."""

    type: Literal["mail"]
    path: str
    sender: str
    receiver: str
    label: str
    in_flight: int
    lost: int
    lost_by: NotRequired[list[str]]
    is_counted: NotRequired[bool]
    holds: NotRequired[bool]
    sender_kind: NotRequired[str]
    receiver_kind: NotRequired[str]


class Call(TypedDict):
    """A message that an action carries (``verifier.specs.drawing.Call``)."""

    type: Literal["call"]
    actions: list[str]
    sender: str
    receiver: str
    label: str
    sent: str
    directed: NotRequired[bool]
    sender_kind: NotRequired[str]
    receiver_kind: NotRequired[str]


class Drawing(TypedDict):
    """The drawing of a protocol's executions."""

    lanes: list[Lane]
    messages: list[Mail | Call]
    keys: NotRequired[dict[str, str]]
    """Paths of functions whose integer keys are lanes, such as ``votes[]``, with the kinds."""
    parameters: NotRequired[dict[str, dict[str, str]]]
    """For each action, the parameters whose integers stand for lanes, and the kinds."""


class Culprit(TypedDict):
    """A part of the state that decides that a formula is false."""

    path: str
    members: NotRequired[list[str]]
    """The members of its value that are too many."""


class Failing(TypedDict):
    """A part of the property that is false in the last state."""

    formula: str
    witnesses: list[tuple[str, str]]
    where: list[tuple[str, str]]
    says: NotRequired[str]
    """Why it is false, in plain words."""
    culprits: NotRequired[list[Culprit]]
    context: NotRequired[list[str]]
    """Paths of the state that speak for elements that nearly count."""
    premises: NotRequired[list[Failing]]
    """The formulas that are true and demand it."""
    branch: NotRequired[bool]
    """True of a sentence that says which branch of a choice applies, and why."""


class Unmet(Failing):
    """A part of a temporal property that an infinite execution does not meet."""

    truth: NotRequired[bool]
    """Its truth in these states; false if it is not there."""
    states: NotRequired[str]
    """The states, in words."""
    demand: NotRequired[str]
    """The demand of the property on it, as ``always eventually``; absent for a part of a formula."""
    within: NotRequired[str]
    """The demand on the formula of which it is a part."""
    at: NotRequired[int]
    """The state of which the values are, if they differ between these states."""


class Met(TypedDict):
    """A fairness condition, and why a loop meets it."""

    condition: str
    met: str


class AboutLoop(TypedDict):
    """The closing of an infinite execution's loop; without an action it stutters."""

    action: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    guards: NotRequired[list[Failing]]
    conditions: NotRequired[list[Met]]
    state: NotRequired[int]
    """A state of the loop in which the property's formula is false."""
    failing: NotRequired[list[Unmet]]
    """The parts of the formula that are false there, or in the states that they name."""


class AboutTrace(TypedDict):
    """The metadata of a trace."""

    failing: NotRequired[list[Failing]]
    checksum: NotRequired[str]
    """A checksum over the execution, in the JSON of a run alone."""
    about_step: NotRequired[bool]
    sets: NotRequired[dict[str, Any]]
    """For a module: its sets of words and numbers, by name."""
    domains: NotRequired[dict[str, dict[str, Any]]]
    """For a module: the sets from which actions take their parameters."""
    loop: NotRequired[AboutLoop]


class AboutState(TypedDict):
    """The metadata of a state: the action that led to it."""

    action: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    guards: NotRequired[list[Failing]]
    """The demands of the action on the state before, with the values there."""
    flows: NotRequired[list[tuple[str, list[str]]]]
    """Each part of the state that changes, and the parts of the state before that its value comes from."""


State = TypedDict("State", {"#meta": NotRequired[AboutState]})
Trace = TypedDict(
    "Trace", {"#meta": AboutTrace, "vars": list[str], "states": list[State], "loop": NotRequired[int]}
)
"""An execution (``verifier.trust.itf``). Its states have more than this: the variables."""


class Obligation(TypedDict):
    """True if an action keeps a formula; ``holds`` is null if nobody can tell."""

    formula: str
    at: str
    holds: bool | None
    seconds: float


class LemmaText(TypedDict):
    """A lemma in the protocol's words."""

    name: str
    says: str
    why: str


class Proof(TypedDict):
    """The origin and check of a proof."""

    found_by: NotRequired[str | None]
    k: NotRequired[int | None]
    rechecked_by: NotRequired[str | None]
    recheck_seconds: NotRequired[float | None]
    uses: NotRequired[list[str]]
    lemmas: NotRequired[list[str] | None]
    lemmas_not_needed: NotRequired[list[str] | None]
    lemmas_not_inductive: NotRequired[list[str] | None]
    lemma_texts: NotRequired[list[LemmaText]]
    clauses: NotRequired[Any]
    invariant: NotRequired[list[str] | None]
    obligations: NotRequired[list[Obligation]]


class ProofOfProperty(Proof):
    """A proof and its property."""

    property: str


Figures = dict[str, Any]
Coverage = dict[str, dict[str, int]]


class Asked(TypedDict):
    """A property in the protocol's words (``verifier.outcomes.asked``)."""

    kind: str
    says: str
    description: str


class FormulaCount(TypedDict):
    """The counts of a formula (``verifier.specs.formula_count``)."""

    formula: str
    place: str
    evaluated: int
    true: int
    owner: str


class VacuousProperty(TypedDict):
    """A property with a premise that was never true (``verifier.specs.formula_count``)."""

    property: str
    premise: str
    place: str
    evaluated: int


class SourceText(TypedDict):
    """Lines of a source text (``verifier.specs.formula_count``)."""

    file: str
    first_line: int
    text: str


class Means(TypedDict):
    """The means that explored the levels from one on (``verifier.engines.exploration``)."""

    name: str
    first_level: int


class Statistics(TypedDict):
    """Figures of a run; each engine has its own, and these are shown in more than one line."""

    peak_memory_bytes: NotRequired[int | None]
    searches: NotRequired[dict[str, Figures] | None]
    provers: NotRequired[dict[str, dict[str, Figures]] | None]
    levels: NotRequired[list[int]]
    actions: NotRequired[Coverage]
    never_enabled: NotRequired[list[str]]
    asked: NotRequired[Asked]
    documented: NotRequired[dict[str, str]]
    places: NotRequired[dict[str, str]]
    assumptions: NotRequired[list[str]]
    constraints: NotRequired[list[str]]
    coverage: NotRequired[list[FormulaCount]]
    vacuous: NotRequired[list[VacuousProperty]]
    sources: NotRequired[list[SourceText]]
    explored_by: NotRequired[list[Means]]


Constants = dict[str, bool | int | str]
EveryConstant = Literal["all", "assumed"]
"""In place of constants: the run is a proof for all of them, or for all that it assumes (``assumptions``)."""
Options = dict[str, bool | int | float | str | list[str] | dict[str, Any] | None]


class Solver(TypedDict):
    """Names and versions, joined by + if there are several."""

    name: str
    version: str


class Result(TypedDict):
    """A verdict."""

    property: str
    verdict: VerdictKind
    depth: int | None
    steps: int | None
    fewest: bool | None
    reason: str | None
    trace: Trace | None


class Origin(TypedDict):
    """The place and time of a run (``verifier.outcomes.run.Origin``)."""

    run_id: str
    tool_version: str
    host: str
    started_at: str


class RunObject(TypedDict):
    """A whole run."""

    spec: str
    spec_hash: str
    constants: Constants | EveryConstant
    assumptions: NotRequired[list[str]]
    engine: str
    options: Options
    solver: Solver
    seconds: float
    about: Origin
    expected: NotRequired[list[str]]
    expected_but_never_enabled: NotRequired[list[str]]
    results: list[Result]
    proofs: NotRequired[list[ProofOfProperty]]
    statistics: Statistics
    asked: NotRequired[dict[str, Asked]]
    documented: NotRequired[dict[str, str]]
    places: NotRequired[dict[str, str]]
    checksum: NotRequired[str]
    """Over ``asked``, ``documented`` and ``places``: it finds a change by hand."""
    drawing: NotRequired[Drawing | None]
    exit_code: int


class RowObject(TypedDict):
    """A row, as the fields of ``verifier.outcomes.row.Row`` that are stored as JSON, or may be null."""

    job_id: str
    run_id: str
    spec: str
    spec_hash: str
    constants: Constants
    property_name: str
    engine: str
    options: Options
    solver: str
    solver_version: str
    tool_version: str
    verdict: VerdictKind
    depth: int | None
    reason: str | None
    seconds: float
    peak_memory: int | None
    steps: int | None
    fewest: bool | None
    trace: Trace | None
    proof: Proof | None
    statistics: Statistics
    drawing: Drawing | None
    exit_code: int
    error: str | None
    host: str
    started_at: str
