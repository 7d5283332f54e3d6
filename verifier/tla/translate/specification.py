"""A definition made of a specification: sorts for its variables, and everything it says as terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from verifier.encodings.sorts import Listed, Sort, Variant
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.definition import Action, Lemma, Parameter, Property, PropertyKind, primed
from verifier.tla import ast
from verifier.tla.ast import Variable
from verifier.tla.automorphisms import companions
from verifier.tla.errors import Place
from verifier.tla.found import State
from verifier.tla.order import text
from verifier.tla.specification import Formula, Specification
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.branches import Branch
from verifier.tla.translate.coding import Names, NotInSort
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.determined import settled
from verifier.tla.translate.expressions import Translator
from verifier.tla.translate.sampling import (
    MOST_GENERATED_WIDELY,
    MOST_INITIAL,
    MOST_INITIAL_SAID,
    MOST_INITIAL_WIDELY,
    MOST_SAMPLED_WIDELY,
    Sample,
    Stepper,
    bounds_of_init,
    bounds_of_types,
    is_bounded,
    is_true_once,
    sample,
    without_traces,
)
from verifier.tla.translate.scouting import Scout
from verifier.tla.translate.shapes import Shape
from verifier.tla.translate.steps import Steps
from verifier.tla.translate.symbolic import Known, Nothing, Sym, Untranslated
from verifier.tla.translate.terms import TRUTH, literal, undefined, variable, with_symbols
from verifier.tla.values import NoValue, Value

SORTS = "Sorts"
"""The type invariant: every variable keeps within the sort that was found for it."""
EXCLUDED = "ACTION_CONSTRAINT!excluded"
"""The variable that is true behind a step that an ACTION_CONSTRAINT excludes: such a state is checked, as TLC
does, and no step leads on from it."""
_MOST_LISTED_INITIAL = 256
_LONGEST_WALK = 60
_MOST_INSTANCES = 128
"""Parameters are free where an action would have more instances."""


@dataclass
class Translation:
    """What was made of a specification."""

    specification: Specification
    names: Names
    shapes: dict[str, Shape]
    sample: Sample
    keeps_sorts: bool = True
    """Whether what is assigned may be left without a value outside of its variable's sort."""
    variables: tuple[Symbol, ...] = ()
    init: Term = field(default_factory=lambda: literal(TRUTH, True))
    actions: tuple[Action, ...] = ()
    properties: tuple[Property, ...] = ()
    excluded: Symbol | None = None
    """Whether a step led here that an ACTION_CONSTRAINT excludes."""
    constraint: Term | None = None
    lemmas: tuple[Lemma, ...] = ()
    successor: tuple[Symbol, ...] = ()
    named: dict[str, str] = field(default_factory=dict)
    """What the module calls each action: it is there once for each way to take it."""
    refused: dict[str, Untranslated] = field(default_factory=dict)
    """Properties that cannot be translated."""
    symmetry: Symmetry | None = None
    """The permutations of model values that change nothing but names; the sorts are kept under them."""
    uncounted: Place | None = None
    """The first formula whose ways to be true are not told apart, where each way is to be an action."""

    def decode(self, state: dict[str, object]) -> State:
        """A state of the definition as the interpreter has it."""
        return tuple(self.names.decode(state[s.name], s.sort) for s in self.variables)

    def permute(self) -> None:
        """Adds to the shapes what the permutations make of them."""
        if self.symmetry is not None:
            for shape in self.shapes.values():
                shape.permute(self.symmetry.renamings)


def started(
    specification: Specification,
    *,
    widely: bool = False,
    depth: int | None = None,
    symmetry: Symmetry | None = None,
) -> Translation:
    """The sorts, from the first states; ``widely``: from more of them; ``depth``: no execution that matters
    has more steps; ``symmetry``: what permutations make of a value of a sort is to be one. Raises
    Undefined, or Untranslated."""
    if widely:
        found = _sampled_widely(specification, symmetry)
    else:
        found = sample(specification, depth=depth, symmetry=symmetry)
    names = Names(specification.evaluator.order)
    names.companions = companions(specification)
    shapes = {one.name: Shape() for one in specification.variables}
    add_states(shapes, found.states)
    if not found.complete:
        bounds_of_types(specification, shapes)
    if not found.all_initial:
        bounds_of_init(specification, shapes)
    if widely:
        with without_traces(specification):
            _walk_on(shapes, found, names)
    made = Translation(specification, names, shapes, found, symmetry=symmetry)
    if not (widely or found.complete):
        if found.initial and specification.next is not None:
            scout = Scout(Stepper(specification), names, found.initial)
            with without_traces(specification):
                scout.widen(shapes.values(), _LONGEST_WALK if depth is None else depth)
        for shape in shapes.values():
            shape.even_out()
    made.permute()
    return made


def add_states(shapes: dict[str, Shape], states: list[State]) -> None:
    """Adds the values of the variables in states to their shapes. Raises Untranslated."""
    for (name, shape), values in zip(shapes.items(), zip(*states, strict=True), strict=False):
        try:
            for value in dict.fromkeys(values):
                shape.add(value)
        except NoValue as error:
            raise Untranslated(None, f"{name} has no finite sort: {error}") from None


def widened_by(made: Translation, states: list[State]) -> bool:
    """Makes the sorts wide enough for states. Whether they were not before. Raises Untranslated."""
    before = [shape.sort(made.names) for shape in made.shapes.values()]
    add_states(made.shapes, states)
    made.permute()
    return before != [shape.sort(made.names) for shape in made.shapes.values()]


def _walk_on(shapes: dict[str, Shape], found: Sample, names: Names) -> None:
    """Adds states on random walks, until they add nothing. A walk takes less time than to translate and
    explore anew where sorts turn out to be too narrow."""
    before = None
    for states in found.further:
        if before is None:
            before = [shape.sort(names) for shape in shapes.values()]
        found.states += states
        add_states(shapes, states)
        sorts = [shape.sort(names) for shape in shapes.values()]
        if sorts == before:
            return
        before = sorts


def _sampled_widely(specification: Specification, symmetry: Symmetry | None) -> Sample:
    """The first states: fewer where each stands for a class, which takes longer. Many initial states are only
    looked at where what they are, and in how many ways, is not said by Init itself, or a property speaks of
    them."""
    wide = (MOST_SAMPLED_WIDELY, MOST_GENERATED_WIDELY)
    if symmetry is not None:
        wide = (MOST_SAMPLED_WIDELY // 4, MOST_GENERATED_WIDELY // 2)
    if is_true_once(specification) and is_bounded(specification):
        spoken_of = any(safety.initially for safety in specification.properties.values())
        most_initial = MOST_INITIAL if spoken_of else MOST_INITIAL_SAID
        return sample(specification, *wide, most_initial, symmetry=symmetry, walks=False)
    found = sample(specification, *wide, MOST_INITIAL, symmetry=symmetry, walks=False)
    if found.all_initial:
        return found
    return sample(specification, *wide, MOST_INITIAL_WIDELY, symmetry=symmetry, walks=False)


def translate(
    made: Translation, lemmas: dict[str, Formula] | None = None, *, each_way: bool = False
) -> Maker:
    """Translates everything, at the sorts that are known. Raises Untranslated.

    ``each_way``: each way in which a guard can be true is an action of its own, as TLC counts steps.
    """
    maker = Maker(made, each_way=each_way)
    maker.make(lemmas or {})
    return maker


class Maker:
    """Makes terms of a specification's formulas."""

    def __init__(self, made: Translation, *, each_way: bool = False) -> None:
        self.made, self.spec = made, made.specification
        declared = self.spec.variables
        self.sorts: dict[Variable, Sort] = {v: made.shapes[v.name].sort(made.names) for v in declared}
        self.symbols = {v: Symbol(v.name, self.sorts[v]) for v in declared}
        self.successor = {v: Symbol(primed(v.name), self.sorts[v]) for v in declared}
        self.t = Translator(self.spec.evaluator, made.names, self.symbols, self.successor)
        self.t.assigned, self.t.keeps_sorts, self.t.symmetry = {}, made.keeps_sorts, made.symmetry
        self.steps = Steps(self.t, each_way=each_way)

    def make(self, lemmas: dict[str, Formula]) -> None:
        """Fills in the translation."""
        made, spec = self.made, self.spec
        made.variables = tuple(self.symbols.values())
        made.successor = tuple(self.successor.values())
        init, parts = self._init(), [self._truth(formula) for formula in spec.constraints]
        if spec.action_constraints:
            made.excluded = Symbol(EXCLUDED, TRUTH)
            made.successor += (Symbol(primed(EXCLUDED), TRUTH),)
            within = self.t.not_(variable(made.excluded))
            init, parts = self.t.formula(self.t.and_([within, init])), [within, *parts]
        made.init = init
        made.constraint = self.t.formula(self.t.and_(parts)) if parts else None
        made.actions = tuple(self._actions()) if spec.next is not None else ()
        made.properties = tuple(self._properties())
        made.uncounted = self.t.uncounted
        made.lemmas = tuple(self._lemma(name, formula) for name, formula in lemmas.items())

    def _lemma(self, name: str, formula: Formula) -> Lemma:
        found = self._truth(formula)
        if isinstance(found, Nothing):
            raise Untranslated(formula.body.place, f"the lemma {name} is no formula: {found.words}")
        return Lemma(name, self.t.formula(found), "")

    def _truth(self, formula: Formula) -> Sym:
        return self.t.truth(self.t.value(formula.body, Context({}, formula.module)))

    def _init(self) -> Term:
        found = self.made.sample
        if found.all_initial and len(found.initial) <= _MOST_LISTED_INITIAL:
            states = [self._is(state) for state in found.initial]
            return self.t.formula(self.t.or_(states))
        return self.t.formula(self.t.and_([self._truth(formula) for formula in self.spec.init]))

    def _is(self, state: State) -> Sym:
        pairs = zip(self.spec.variables, state, strict=True)
        return self.t.and_([self.t.equal(variable(self.symbols[v]), Known(value)) for v, value in pairs])

    # -- actions

    def _actions(self) -> list[Action]:
        assert self.spec.next is not None
        context = Context({}, self.spec.next.module)
        body = self.spec.next.body
        if isinstance(body, ast.Step):  # a step that changes nothing is allowed, and no successor
            body = body.action
        branches = list(self.steps.walk(body, context, Branch(), top=True))
        self.t.assigned = {}
        groups: dict[str, list[tuple[str, ...]]] = {}
        seen: dict[tuple[str, tuple[str, ...]], int] = {}
        return [self._action(branch, groups, seen) for branch in branches]

    def _excluded(self, branch: Branch) -> Iterator[tuple[Term, Term]]:
        """What says whether an ACTION_CONSTRAINT excludes a step."""
        if self.made.excluded is None:
            return
        before, self.t.assigned = self.t.assigned, branch.assigned
        tests = [self._truth(formula) for formula in self.spec.action_constraints]
        self.t.assigned = before
        yield variable(self.made.excluded), self.t.formula(self.t.not_(self.t.and_(tests)))

    def _action(
        self,
        branch: Branch,
        groups: dict[str, list[tuple[str, ...]]],
        seen: dict[tuple[str, tuple[str, ...]], int],
    ) -> Action:
        guards = [self.t.formula(guard) for guard in branch.guards]
        missing = [v.name for v in self.spec.variables if v not in branch.assigned]
        if missing and not branch.dead:
            guards.append(undefined(TRUTH))
        parameters: dict[str, Parameter] = {}
        label: list[str] = []
        renamed: dict[Symbol, Symbol] = {}
        symbols = [symbol for _, _, symbol in branch.parameters if symbol is not None]
        guards, values = settled(guards, [symbol for symbol in symbols if symbol not in self.t.free])
        open_ones = [symbol for symbol in symbols if symbol not in values and symbol not in self.t.free]
        several = prod(_likely(symbol.sort) for symbol in open_ones)
        for name, item, symbol in branch.parameters:
            if symbol in values:
                continue
            own = name
            while own in parameters:
                own += "_"
            if symbol is not None:
                if symbol.name != own:
                    renamed[symbol] = Symbol(own, symbol.sort)
                one = renamed.get(symbol, symbol)
                open_ = several > _MOST_INSTANCES or symbol in self.t.free
                parameters[own] = Parameter(one, free=False, left_open=open_)
                label.append("*")
            else:
                shown = self._shown(item)
                parameters[own] = Parameter(Symbol(own, Listed(shown)), free=False)
                label.append(str(shown))
        named = tuple(parameter.symbol.name for parameter in parameters.values())
        family = groups.setdefault(branch.name, [])
        if named not in family:
            family.append(named)
        number = family.index(named)
        action = branch.name if number == 0 else f"{branch.name}_{number + 1}"
        again = seen[action, tuple(label)] = seen.get((action, tuple(label)), 0) + 1
        if again > 1:
            action = f"{action}#{again}"
        self.made.named[action] = branch.name
        then = [] if branch.dead or missing else [*self._assignments(branch), *self._excluded(branch)]
        for known, value in values.items():
            then = [(target, with_symbols(assigned, {known: value})) for target, assigned in then]
        if renamed:
            put = {old: variable(new) for old, new in renamed.items()}
            guards = [with_symbols(guard, put) for guard in guards]
            then = [(target, with_symbols(value, put)) for target, value in then]
        return Action(action, tuple(parameters.values()), tuple(guards), tuple(then), "")

    def _shown(self, item: Sym) -> int | str:
        if isinstance(item, Known):
            value: Value = item.value
            return (
                value
                if type(value) is int
                else text(value, self.spec.evaluator.order).strip('"') or "(empty)"
            )
        return "?"

    def _assignments(self, branch: Branch) -> list[tuple[Term, Term]]:
        found = []
        for one, value in branch.assigned.items():
            target, sort = variable(self.symbols[one]), self.sorts[one]
            if (
                isinstance(value, Term)
                and value.operator is Operator.VARIABLE
                and value.data is self.symbols[one]
            ):
                continue
            found.append((target, self._fitted(value, sort)))
        return found

    def _fitted(self, value: Sym, sort: Sort) -> Term:
        if isinstance(value, Known):
            try:
                return literal(sort, self.made.names.encode(value.value, sort))
            except NotInSort:
                return undefined(sort)
        return self.t.convert(self.t.term(value), sort)

    def action(self, branch: Branch) -> Action:
        """A way to take an action, by itself."""
        self.t.assigned = {}
        return self._action(branch, {}, {})

    # -- properties

    def _properties(self) -> list[Property]:
        found = [Property(SORTS, PropertyKind.TYPE_INVARIANT, literal(TRUTH, True), True, "")]
        self.t.assigned = {}
        for name, formula in self.spec.invariants.items():
            self._add(found, name, PropertyKind.INVARIANT, [formula])
        for name, safety in self.spec.properties.items():
            wrong = self._wrong_initially(safety.initially)
            if wrong is not None:  # so the property is violated, whatever else it says
                is_other = self.t.formula(self.t.not_(self._is(wrong)))
                found.append(Property(name, PropertyKind.INVARIANT, is_other, True, ""))
                continue
            if safety.initially and not self.made.sample.all_initial:
                self.made.refused[name] = Untranslated(
                    safety.initially[0].body.place,
                    f"{name} says something of the initial states, of which there are too many to look at",
                )
                continue
            if safety.always:
                self._add(found, name, PropertyKind.INVARIANT, list(safety.always))
            if safety.steps:
                self.t.assigned = None
                own = f"{name}!step" if safety.always else name
                self._add(found, own, PropertyKind.STEP_INVARIANT, list(safety.steps))
                self.t.assigned = {}
        return found

    def _wrong_initially(self, formulas: tuple[Formula, ...]) -> State | None:
        """An initial state of which a formula is false; None if there is none."""
        for formula in formulas:
            test = self.spec.evaluator.compiled_truth(formula.body, formula.module)
            for state in self.made.sample.initial:
                self.spec.evaluator.now[:] = state
                if not test():
                    return state
        return None

    def _add(self, found: list[Property], name: str, kind: PropertyKind, formulas: list[Formula]) -> None:
        try:
            term = self.t.formula(self.t.and_([self._truth(formula) for formula in formulas]))
        except Untranslated as error:
            self.made.refused[name] = error
            return
        found.append(Property(name, kind, term, True, ""))


def _likely(sort: Sort) -> int:
    """How many values of a sort an action has instances for: it takes one kind of value as a rule, and asks
    for that first."""
    if isinstance(sort, Variant):
        return max((part.size for _, part in sort.alternatives), default=0)
    return sort.size


__all__ = ["SORTS", "Nothing", "Translation", "started", "translate"]
