"""Temporal properties and fairness: what a protocol claims of whole executions, as plain data.

An execution is an infinite sequence of states. Each step takes an enabled instance of an action, or changes
nothing. So an execution may stop anywhere, unless fairness demands that it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.expressions import BOOLEAN, NotOfOneState
from verifier.encodings.generators import make_bound
from verifier.encodings.printing import text
from verifier.encodings.sorts import Sort, SortError
from verifier.encodings.terms import Operator, Symbol, Term

SPEC_FAIRNESS = "spec"
"""The name of the fairness that the protocol itself states."""
NO_FAIRNESS = "none"
"""The name of no fairness at all: an execution may stop anywhere."""


class TemporalOperator(StrEnum):
    """The form of a temporal formula: of formulas about one state, or of temporal formulas.

    Instead of a state that satisfies a formula there may be a place of the execution from which on a temporal
    formula holds. Then the formulas are ``parts``."""

    EVENTUALLY = "eventually"
    """A state satisfies the formula."""
    ALWAYS_EVENTUALLY = "always eventually"
    """Infinitely many states satisfy it."""
    EVENTUALLY_ALWAYS = "eventually always"
    """All states from some state on satisfy it."""
    LEADS_TO = "leads to"
    """Whenever the first formula holds, the second holds then or later."""
    ALWAYS = "always"
    """All states satisfy it."""
    UNTIL = "until"
    """The second formula holds now or later, and the first one until then."""
    NOW = "now"
    """The state satisfies the formula; the first one, if nothing else is around it."""
    STEP = "a step with"
    """The next step satisfies the formula. Only under EVENTUALLY, ALWAYS_EVENTUALLY, and their negations."""
    FAIR = "fairness"
    """The execution meets a fairness condition."""
    EVER_AFTER = "ever after"
    """Whenever the first formula holds, the second holds then and in all later states."""
    NOT = "not"
    AND = "and"
    OR = "or"
    FOR_EACH = "for each"
    """For all values of a variable."""
    FOR_SOME = "for some"
    """For at least one value of a variable."""


class Strength(StrEnum):
    """The strength of fairness: how often it demands a step."""

    WEAK = "weak"
    """If the step is possible in all states from some state on, it is taken infinitely often."""
    STRONG = "strong"
    """If the step is possible in infinitely many states, it is taken infinitely often."""


@dataclass(frozen=True)
class Taken:
    """The instances of an action that have these values of parameters."""

    action: str
    given: tuple[tuple[str, Concrete], ...] = ()


@dataclass(frozen=True)
class Fairness:
    """A fairness condition, or a family of them: one for each combination of values of ``each``.

    What it demands is a step of one of the actions, with values ``given``, that changes the state.
    """

    strength: Strength
    actions: tuple[str, ...] = ()
    """The names of actions. None: any action of the protocol."""
    each: tuple[str, ...] = ()
    """Parameters that each of the actions has. There is a condition for each combination of their values."""
    given: tuple[tuple[str, Concrete], ...] = ()
    """Parameters with fixed values."""
    steps: tuple[Taken, ...] | None = None
    """Instead of actions, one condition: a step of one of these."""
    label: str = ""
    """Its name; empty: it is named by its demand."""

    def __str__(self) -> str:
        if self.label:
            return self.label
        what = " or ".join(self.actions) or "the next step"
        fixed = ", ".join(f"{name} = {show(value)}" for name, value in self.given)
        each = f", for each {', '.join(self.each)}" if self.each else ""
        return f"{self.strength} fairness of {what}{f' with {fixed}' if fixed else ''}{each}"


@dataclass(frozen=True, eq=False, repr=False)
class TemporalFormula(NotOfOneState):
    """A temporal formula. ``&``, ``|``, ``~`` and ``implies`` combine it with others."""

    instead: ClassVar[str] = (
        "it speaks of executions; now(P) makes a formula P of one state go with it, as in "
        "now(P) | always(Q), and for_each and for_some quantify over it"
    )
    operator: TemporalOperator
    terms: tuple[Term, ...] = ()
    """The formulas about one state or one step: two of LEADS_TO, UNTIL and EVER_AFTER, one of others."""
    parts: tuple[TemporalFormula, ...] = ()
    """The operands of NOT, AND, OR, FOR_EACH and FOR_SOME; others are about these if they have no terms."""
    binds: Symbol | None = None
    """The variable of FOR_EACH and FOR_SOME."""
    condition: Fairness | None = None
    """The condition of FAIR."""

    def __and__(self, other: TemporalFormula) -> TemporalFormula:
        return _join(TemporalOperator.AND, self, other)

    def __or__(self, other: TemporalFormula) -> TemporalFormula:
        return _join(TemporalOperator.OR, self, other)

    def __invert__(self) -> TemporalFormula:
        return TemporalFormula(TemporalOperator.NOT, parts=(self,))

    def implies(self, other: TemporalFormula) -> TemporalFormula:
        """That the other one holds if this one does."""
        return ~self | other

    def __bool__(self) -> bool:
        raise TypeError("a temporal formula has no truth value in Python: write &, |, ~ and implies")

    def all_terms(self) -> Iterator[Term]:
        """The formulas about one state in it."""
        yield from self.terms
        for part in self.parts:
            yield from part.all_terms()

    def quantified_terms(self) -> Iterator[Term]:
        """The formulas about one state in it, each under the quantifiers around it."""
        yield from self.terms
        for term in (term for part in self.parts for term in part.quantified_terms()):
            bound = self.binds is not None
            yield Term(Operator.FORALL, BOOLEAN, (term,), binds=self.binds) if bound else term

    def __repr__(self) -> str:
        return f"the temporal formula {self}"

    def __str__(self) -> str:
        if self.condition is not None:
            return str(self.condition)
        inner = [f"({text(term)})" for term in self.terms] + [f"({part})" for part in self.parts]
        match self.operator:
            case (
                TemporalOperator.LEADS_TO
                | TemporalOperator.UNTIL
                | TemporalOperator.EVER_AFTER
                | TemporalOperator.AND
                | TemporalOperator.OR
            ):
                return f" {self.operator} ".join(inner)
            case TemporalOperator.FOR_EACH | TemporalOperator.FOR_SOME:
                assert self.binds is not None
                return f"{self.operator} {self.binds.name} ∈ {self.binds.sort}: {inner[0]}"
        return f"{self.operator} {inner[0]}"


def _join(operator: TemporalOperator, one: TemporalFormula, other: Any) -> TemporalFormula:
    if not isinstance(other, TemporalFormula):
        raise TypeError(
            f"a temporal formula goes with another one: eventually(…) & eventually(…), not with {other!r}"
        )
    return TemporalFormula(operator, parts=(one, other))


def quantify(operator: TemporalOperator, domain: Any, body: Callable[..., Any] | None) -> TemporalFormula:
    """The formula about a bound variable over a sort."""
    called = operator.replace(" ", "_")
    if not isinstance(domain, Sort) or body is None:
        raise SortError(f"{called} takes a sort and a function, as in {called}(self.apps, lambda app: …)")
    code = getattr(body, "__code__", None)
    made = make_bound(code.co_varnames[0] if code is not None and code.co_argcount else "x", domain, domain)
    part = body(made.variable)
    if not isinstance(part, TemporalFormula):
        raise SortError(f"{called} speaks of temporal formulas, as leads_to(…, …): got {part!r}")
    return TemporalFormula(operator, parts=(part,), binds=made.symbol)


@dataclass(frozen=True)
class TemporalProperty:
    """A named claim about every execution."""

    name: str
    formula: TemporalFormula
    default: bool
    description: str


@dataclass(frozen=True)
class FairnessVariant:
    """Fairness conditions under a name that ``--fairness`` takes."""

    name: str
    conditions: tuple[Fairness, ...]


Names: TypeAlias = str | Sequence[str]


def weak(*actions: str, each: Names = (), given: Mapping[str, Concrete] | None = None) -> Fairness:
    """Weak fairness of actions, named as methods. ``weak()`` is that of the next step, ``WF_vars(Next)``.

    ``weak("subscribe", each=("app", "queue"))`` is that of Subscribe(a, q) for each a and q.
    """
    return _fair(Strength.WEAK, actions, each, given)


def strong(*actions: str, each: Names = (), given: Mapping[str, Concrete] | None = None) -> Fairness:
    """Strong fairness of actions, named as methods, as in ``weak``."""
    return _fair(Strength.STRONG, actions, each, given)


def _fair(
    strength: Strength, actions: tuple[str, ...], each: Names, given: Mapping[str, Concrete] | None
) -> Fairness:
    if not all(isinstance(action, str) for action in actions):
        raise SortError(f'{strength} takes the names of methods, as in {strength}("send", "receive")')
    if not isinstance(each, str | list | tuple) or not all(isinstance(name, str) for name in each):
        raise SortError(f'each= names parameters of actions, as in each=("app", "queue"), not {each!r}')
    names = (each,) if isinstance(each, str) else tuple(each)
    if not isinstance(given, Mapping | None):
        raise SortError(f'given= gives parameters their values, as in given={{"app": "a1"}}, not {given!r}')
    return Fairness(strength, actions, names, tuple((given or {}).items()))
