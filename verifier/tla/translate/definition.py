"""The definition of a specification: all its formulas as terms, at the sorts of its variables."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from verifier.encodings.sorts import Listed, Sort, Variant
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.definition import Action, Lemma, Parameter, Property, PropertyKind, prime
from verifier.tla import ast
from verifier.tla.ast import Variable
from verifier.tla.exploration_result import State
from verifier.tla.order import text
from verifier.tla.splitting import Formula
from verifier.tla.translate.branches import Branch
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.connectives import and_, formula_of, not_, or_, truth_of
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.determined import replace_determined
from verifier.tla.translate.making import equals
from verifier.tla.translate.next_actions import Steps
from verifier.tla.translate.notes import Notes
from verifier.tla.translate.rules import make_translator
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.symbolic import Known, Nothing, Sym, Untranslated
from verifier.tla.translate.terms import TRUTH, literal, make_undefined_term, variable, with_symbols
from verifier.tla.translate.translation import Translation
from verifier.tla.value_types import Fn, Value

EXCLUDED = "ACTION_CONSTRAINT!excluded"
"""The variable that is true after a step that an ACTION_CONSTRAINT excludes. As in TLC, such a state is
checked, but no step leads on from it."""
_MOST_LISTED_INITIAL = 256
_MOST_INSTANCES = 128
"""Parameters are free if an action would have more instances."""


def translate(
    made: Translation, lemmas: dict[str, Formula] | None = None, *, each_way: bool = False
) -> Maker:
    """Translate all formulas at the known sorts. Raises Untranslated. ``each_way``: each way in which a guard
    can be true is an action of its own, as TLC counts steps."""
    maker = Maker(made, each_way=each_way)
    maker.make(lemmas or {})
    return maker


class Maker:
    """Makes terms from the formulas of a specification."""

    def __init__(self, made: Translation, *, each_way: bool = False) -> None:
        self.made, self.spec = made, made.specification
        declared = self.spec.variables
        self.sorts: dict[Variable, Sort] = {v: sort_of(made.shapes[v.name], made.names) for v in declared}
        self.symbols = {v: Symbol(v.name, self.sorts[v]) for v in declared}
        self.successor = {v: Symbol(prime(v.name), self.sorts[v]) for v in declared}
        self.t = make_translator(self.spec.evaluator, made.names, self.symbols, self.successor)
        self.t.assigned, self.t.keeps_sorts, self.t.symmetry = {}, made.keeps_sorts, made.symmetry
        self.steps = Steps(self.t, each_way=each_way)
        made.notes = Notes(self.t)

    def make(self, lemmas: dict[str, Formula]) -> None:
        """Fill in the translation."""
        made, spec = self.made, self.spec
        made.variables = tuple(self.symbols.values())
        made.successor = tuple(self.successor.values())
        init, parts = self._init(), [self._truth(formula) for formula in spec.constraints]
        if spec.action_constraints:
            made.excluded = Symbol(EXCLUDED, TRUTH)
            made.successor += (Symbol(prime(EXCLUDED), TRUTH),)
            within = not_(self.t, variable(made.excluded))
            init, parts = formula_of(self.t, and_(self.t, [within, init])), [within, *parts]
        made.init = init
        made.constraint = formula_of(self.t, and_(self.t, parts)) if parts else None
        made.actions = tuple(self._actions()) if spec.next is not None else ()
        made.properties = tuple(self._properties())
        made.uncounted = self.t.uncounted
        made.lemmas = tuple(self._lemma(name, formula) for name, formula in lemmas.items())

    def _lemma(self, name: str, formula: Formula) -> Lemma:
        truth = self._truth(formula)
        if isinstance(truth, Nothing):
            raise Untranslated(formula.body.place, f"the lemma {name} is not a formula: {truth.words}")
        return Lemma(name, formula_of(self.t, truth), "")

    def _truth(self, formula: Formula) -> Sym:
        return truth_of(self.t, self.t.value(formula.body, Context({}, formula.module)))

    def _init(self) -> Term:
        sample = self.made.sample
        if sample.all_initial and len(sample.initial) <= _MOST_LISTED_INITIAL:
            states = [self._is(state) for state in sample.initial]
            return formula_of(self.t, or_(self.t, states))
        return formula_of(self.t, and_(self.t, [self._truth(formula) for formula in self.spec.init]))

    def _is(self, state: State) -> Sym:
        pairs = zip(self.spec.variables, state, strict=True)
        return and_(self.t, [equals(self.t, variable(self.symbols[v]), Known(value)) for v, value in pairs])

    # -- actions

    def _actions(self) -> list[Action]:
        assert self.spec.next is not None
        context = Context({}, self.spec.next.module)
        body = self.spec.next.body
        if isinstance(body, ast.Step):  # a stuttering step is allowed but is no successor
            body = body.action
        branches = list(self.steps.walk(body, context, Branch(), top=True))
        self.t.assigned = {}
        groups: dict[str, list[tuple[str, ...]]] = {}
        seen: dict[tuple[str, tuple[str, ...]], int] = {}
        return [self._action(branch, groups, seen) for branch in branches]

    def _make_excluded_assignments(self, branch: Branch) -> Iterator[tuple[Term, Term]]:
        """Yield the assignment that records whether an ACTION_CONSTRAINT excludes a step."""
        if self.made.excluded is None:
            return
        before, self.t.assigned = self.t.assigned, branch.assigned
        tests = [self._truth(formula) for formula in self.spec.action_constraints]
        self.t.assigned = before
        yield variable(self.made.excluded), formula_of(self.t, not_(self.t, and_(self.t, tests)))

    def _action(
        self,
        branch: Branch,
        groups: dict[str, list[tuple[str, ...]]],
        seen: dict[tuple[str, tuple[str, ...]], int],
    ) -> Action:
        guards = [formula_of(self.t, guard) for guard in branch.guards]
        missing = [v.name for v in self.spec.variables if v not in branch.assigned]
        if missing and not branch.dead:
            guards.append(make_undefined_term(TRUTH))
        parameters: dict[str, Parameter] = {}
        label: list[str] = []
        renamed: dict[Symbol, Symbol] = {}
        symbols = [symbol for _, _, symbol in branch.parameters if symbol is not None]
        guards, values = replace_determined(
            guards, [symbol for symbol in symbols if symbol not in self.t.free]
        )
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
                shown = self._show(item)
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
        then = (
            []
            if branch.dead or missing
            else [*self._assignments(branch), *self._make_excluded_assignments(branch)]
        )
        for known, value in values.items():
            then = [(target, with_symbols(assigned, {known: value})) for target, assigned in then]
        if renamed:
            put = {old: variable(new) for old, new in renamed.items()}
            guards = [with_symbols(guard, put) for guard in guards]
            then = [(target, with_symbols(value, put)) for target, value in then]
        return Action(action, tuple(parameters.values()), tuple(guards), tuple(then), "")

    def _show(self, item: Sym) -> int | str:
        if isinstance(item, Known):
            value: Value = item.value
            if isinstance(value, tuple | frozenset | Fn):  # its word has the value as its meaning
                return self.made.names.word(value)
            return (
                value
                if type(value) is int
                else text(value, self.spec.evaluator.order).strip('"') or "(empty)"
            )
        return "?"

    def _assignments(self, branch: Branch) -> list[tuple[Term, Term]]:
        assignments = []
        for one, value in branch.assigned.items():
            target, sort = variable(self.symbols[one]), self.sorts[one]
            if (
                isinstance(value, Term)
                and value.operator is Operator.VARIABLE
                and value.data is self.symbols[one]
            ):
                continue
            assignments.append((target, self._fit(value, sort)))
        return assignments

    def _fit(self, value: Sym, sort: Sort) -> Term:
        if isinstance(value, Known):
            try:
                return literal(sort, self.made.names.encode(value.value, sort))
            except NotInSort:
                return make_undefined_term(sort)
        return self.t.convert(self.t.term(value), sort)

    def action(self, branch: Branch) -> Action:
        """Return a way to take an action as an action of its own."""
        self.t.assigned = {}
        return self._action(branch, {}, {})

    # -- properties

    def _properties(self) -> list[Property]:
        title, kind = self.spec.titles.sorts, PropertyKind.TYPE_INVARIANT
        properties = [Property(title, kind, literal(TRUTH, True), True, "")]
        self.t.assigned = {}
        for name, formula in self.spec.invariants.items():
            self._add(properties, name, PropertyKind.INVARIANT, [formula])
        for name, safety in self.spec.properties.items():
            wrong = self._wrong_initially(safety.initially)
            if wrong is not None:  # so the property is violated, whatever else it says
                is_other = formula_of(self.t, not_(self.t, self._is(wrong)))
                properties.append(Property(name, PropertyKind.INVARIANT, is_other, True, ""))
                continue
            if safety.initially and not self.made.sample.all_initial:
                self.made.refused[name] = Untranslated(
                    safety.initially[0].body.place,
                    f"{name} says something of the initial states, of which there are too many to look at",
                )
                continue
            if safety.always:
                self._add(properties, name, PropertyKind.INVARIANT, list(safety.always))
            if safety.steps:
                self.t.assigned = None
                own = f"{name}!step" if safety.always else name
                self._add(properties, own, PropertyKind.STEP_INVARIANT, list(safety.steps))
                self.t.assigned = {}
        return properties

    def _wrong_initially(self, formulas: tuple[Formula, ...]) -> State | None:
        """Return an initial state in which a formula is false; None if there is none."""
        for formula in formulas:
            test = self.spec.evaluator.compile_truth(formula.body, formula.module)
            for state in self.made.sample.initial:
                self.spec.evaluator.now[:] = state
                if not test():
                    return state
        return None

    def _add(
        self, properties: list[Property], name: str, kind: PropertyKind, formulas: list[Formula]
    ) -> None:
        try:
            term = formula_of(self.t, and_(self.t, [self._truth(formula) for formula in formulas]))
        except Untranslated as error:
            self.made.refused[name] = error
            return
        properties.append(Property(name, kind, term, True, ""))


def _likely(sort: Sort) -> int:
    """Return the number of values of a sort for which an action has instances. An action usually takes one
    alternative of a variant and checks that first."""
    if isinstance(sort, Variant):
        return max((part.size for _, part in sort.alternatives), default=0)
    return sort.size
