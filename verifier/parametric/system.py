"""A protocol for all constants at once: its initial states, steps, lemmas and properties as formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from verifier.encodings.sorts import Function, PartialFunction, Set, Sort, sorts_in
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.parametric.definedness import Definedness
from verifier.parametric.errors import NotParametric
from verifier.parametric.first_order_terms import make_reader
from verifier.parametric.first_order_values import Fields, Members, OptionOf, Quantified, Value
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import Node, canonical
from verifier.parametric.set_formulas import counts_any_sets
from verifier.parametric.sort_nodes import Values
from verifier.parametric.symbolic import symbolic
from verifier.parametric.term_reader import Definitions, Reader, Scope
from verifier.specs.definition import Action, Definition, PropertyKind

INITIALLY = "initially"
ALWAYS = "always"
TYPED = "Typed"
"""The lemma that every variable has a value of its sort. It is proved like the others, separately for each
field under the name ``Typed:`` and the field. So a proof shows only the fields that it needs."""
STAYS = "Stays:"
"""The prefix of a lemma about an action: where enabled, it reads defined values and assigns values of the
right sorts. It is proved like the others."""
READS = "Reads:"
"""The prefix of a lemma that all reads of another lemma have values."""


@dataclass(frozen=True)
class Step:
    """An action with its parameters: its guard, and a reader of formulas in the state after it."""

    name: str
    guard: Node
    parameters: tuple[Node, ...]
    """The scalars of its parameters."""
    changed: frozenset[Symbol]
    """The variables that it assigns."""
    after: Reader
    successor: Mapping[Symbol, Value]


@dataclass
class ParametricSystem:
    """The reading of a definition whose constants are traced."""

    definition: Definition
    claims_sorts: bool = False
    """True if each proof shows that variables have values of their sorts (``ParametricReading``)."""
    logic: Logic = field(default_factory=Logic)
    definitions: Definitions = field(default_factory=Definitions)

    def __post_init__(self) -> None:
        self._formulas: dict[tuple[str, Reader], Node] = {}
        self._require_names()
        self.values = Values(self.logic, self.definitions.axioms)
        sorts = [variable.sort for variable in self.definition.variables]
        self.values.has_named_sets = any(map(_has_sets_of_sets, sorts))
        self.values.has_sets_in_states = named = counts_any_sets(self.definition)
        self.values.has_named_sets |= named
        self.state = {
            v: symbolic(self.values, v.sort, v.name, named=named) for v in self.definition.variables
        }
        self.before = make_reader(self.values, self.definitions, self.state)
        self._typed: dict[Reader, dict[str, Node]] = {}

    def _require_names(self) -> None:
        """Refuse names that belong to obligations or to parts of other variables."""
        for action in self.definition.actions:
            if action.name in (INITIALLY, ALWAYS):
                raise NotParametric(f"an action is called {action.name}, which is said of something else")
        for variable in self.definition.variables:
            if not variable.name.isidentifier():
                raise NotParametric(f"the state variable {variable.name!r} is called by no identifier")

    @cached_property
    def init(self) -> Node:
        """Return the formula of the initial states. In it, variables have values of their sorts, unless
        the proof shows it."""
        said = self._place("init", self.before, self.definition.init)
        if self.claims_sorts:
            return said
        return self.logic.conj((said, self.make_typing_formula(self.before)))

    @cached_property
    def beginning(self) -> Node:
        """Return the formula of the initial states that satisfy the constraint."""
        bound = self.definition.constraint
        within = self.logic.true if bound is None else self._place("the constraint", self.before, bound)
        return self.logic.conj((self.init, within))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return the actions."""
        return tuple(map(self._step, self.definition.actions))

    def _step(self, action: Action) -> Step:
        place = f"action {action.name}"
        try:
            parameters: dict[Symbol, Value] = {
                p.symbol: symbolic(
                    self.values, p.symbol.sort, f"{p.symbol.name}?", named=self.values.has_named_sets
                )
                for p in action.parameters
            }
        except NotParametric as error:
            raise NotParametric(f"{place}: {error}") from None
        typed = [self.values.make_typing_formula(symbol.sort, value) for symbol, value in parameters.items()]
        reader = make_reader(self.values, self.definitions, {**self.state, **parameters})
        lines = list(action.when)
        if self.definition.constraint is not None:
            lines.append(self.definition.constraint)
        guard = self.logic.conj([*typed, *(self._place(place, reader, line) for line in lines)])
        successor = dict(self.state)
        try:
            for target, value in action.then:
                self._assign(successor, reader, reader.scope, target, reader.value(value))
        except NotParametric as error:
            raise NotParametric(f"{place}: {error}") from None
        after = make_reader(self.values, self.definitions, successor, self.before)
        scalars = tuple(
            node for s, v in parameters.items() if _is_first_order(v) for node in self.values.flat(s.sort, v)
        )
        changed = frozenset(symbol for symbol, value in successor.items() if value is not self.state[symbol])
        return Step(action.name, guard, scalars, changed, after, successor)

    def reads(self) -> Iterator[tuple[str, Node]]:
        """Yield the formula that all reads have values, for the constraint and each action, with its
        place."""
        bound = self.definition.constraint
        if bound is not None:
            yield ALWAYS, Definedness(self.before).formula(bound)
        for action in self.definition.actions:
            yield action.name, self._stays(action, self.before, typed=False)

    def initial_reads(self) -> Node:
        """Return the formula that all reads of Init have values in each state, initial or not."""
        return self.logic.implies(
            self.make_typing_formula(self.before), Definedness(self.before).formula(self.definition.init)
        )

    def _stays(self, action: Action, reader: Reader, *, typed: bool = True) -> Node:
        """Return the formula that an enabled action reads defined values. ``typed``: it also assigns values
        of the right sorts."""
        logic, scope, variables, within = self.logic, reader.scope.turn(0), list[Node](), list[Node]()
        bound = self.definition.constraint
        if bound is not None and not typed:
            within.append(reader.truth(bound, scope))
        for parameter in action.parameters:
            one = self._any(parameter.symbol, action.name)
            scope = scope.binding(parameter.symbol, one.value, weak=False)
            variables += one.variables
            within.append(one.within)
        guard = logic.conj(reader.truth(line, scope) for line in action.when)
        defined = Definedness(reader)
        reads, stays = list[Node](), list[Node]()
        for target, value in action.then:  # other variables keep their sort by the lemma Typed
            reads += (self._reads(defined, target, scope), defined.of(value, scope))
            stays.append(self.values.make_typing_formula(target.sort, reader.part(value, scope)))
            if (keys := _find_added_key_sort(target)) is not None:
                stays.append(self.values.make_typing_formula(keys, reader.part(target.arguments[1], scope)))
        then = logic.implies(guard, logic.conj([*reads, *(stays if typed else ())]))
        said = logic.conj((defined.in_turn(action.when, scope, True), then))
        return logic.forall(variables, logic.implies(logic.conj(within), said))

    def _reads(self, defined: Definedness, target: Term, scope: Scope) -> Node:
        """Return the formula that the reads of a target have values. A new key of a partial function is
        added."""
        if _find_added_key_sort(target) is None:
            return defined.of(target, scope)
        return self.logic.conj(defined.of(part, scope) for part in target.arguments)

    def make_deadlock_formulas(self) -> Iterator[Node]:
        """Yield the formulas of a deadlock: the guard of each action is false, and the constraint is true. An
        action that reads an undefined value, or would assign a value outside a sort, counts as enabled. So do
        all actions in states outside the constraint."""
        logic, reader = self.logic, self.before
        if self.definition.constraint is not None:
            yield self._place("constraint", reader, self.definition.constraint)
        for action in self.definition.actions:
            scope, variables, enabled = reader.scope.turn(-1), list[Node](), list[Node]()
            for parameter in action.parameters:
                one = self._any(parameter.symbol, action.name)
                scope = scope.binding(parameter.symbol, one.value, weak=False)
                variables += one.variables
                enabled.append(one.within)
            enabled += [reader.truth(line, scope) for line in action.when]
            yield logic.forall(variables, logic.neg(logic.conj(enabled)))

    def _any(self, symbol: Symbol, action: str) -> Quantified:
        """Return all values of a parameter. For sets and the like, it is one unconstrained value. A claim
        shown for it holds for all, and an assumption about it is weaker than one about all."""
        try:
            if self.values.has_named_sets or not _has_sets(symbol.sort):
                return self.values.quantify(symbol.sort)
            raise NotParametric("a set is told by its elements")
        except NotParametric:
            value = symbolic(self.values, symbol.sort, f"{action} {symbol.name}?")
            return Quantified((), value, self.values.make_typing_formula(symbol.sort, value))

    def _assign(
        self, state: dict[Symbol, Value], reader: Reader, scope: Scope, target: Term, value: Value
    ) -> None:
        path = [target]
        while path[0].operator is not Operator.VARIABLE:
            path.insert(0, path[0].arguments[0])
        symbol = path[0].data
        assert isinstance(symbol, Symbol)
        state[symbol] = self._with(state[symbol], path[1:], reader, scope, value)

    def _with(self, whole: Value, path: Sequence[Term], reader: Reader, scope: Scope, value: Value) -> Value:
        if not path:
            return value
        term, *rest = path
        if term.operator is Operator.FIELD:
            assert isinstance(whole, Fields)
            name = str(term.data)
            return Fields({**whole.of, name: self._with(whole.of[name], rest, reader, scope, value)})
        key = reader.part(term.arguments[1], scope)
        old = whole.at(key)  # type: ignore[union-attr]
        return reader.update(term.arguments[0].sort, whole, key, self._with(old, rest, reader, scope, value))

    # Formulas of one state

    def formula(self, name: str, reader: Reader) -> Node:
        """Return a lemma or a property in the state of the reader. A property also claims that all its reads
        have values: otherwise it has no meaning."""
        formula = self._formulas.get((name, reader))
        if formula is None:
            formula = self._formulas[name, reader] = self._read(name, reader)
        return formula

    def _read(self, name: str, reader: Reader) -> Node:
        if name.startswith(f"{TYPED}:"):
            return self._make_typed_parts(reader)[name]
        if name.startswith(STAYS):
            action = next(a for a in self.definition.actions if a.name == name.removeprefix(STAYS))
            return self._stays(action, reader)
        if name.startswith(READS):
            return Definedness(reader).formula(self._term(name.removeprefix(READS)))
        formula = self._place(name, reader, self._term(name))
        if name not in self._property_names:
            return formula
        return self.logic.conj((Definedness(reader).formula(self._term(name)), formula))

    def of_step(self, name: str, step: Step) -> Node:
        """Return a step invariant for a step: it holds and its reads have values, or the step changes
        nothing."""
        symbols = zip(self.definition.variables, self.definition.successor, strict=True)
        later = {after: step.successor[symbol] for symbol, after in symbols}
        reader = make_reader(self.values, self.definitions, {**self.state, **later})
        said = self._place(name, reader, self._term(name))
        unchanged = self.logic.conj(
            self.values.equal(symbol.sort, self.state[symbol], step.successor[symbol])
            for symbol in self.definition.variables
            if symbol in step.changed
        )
        defined = Definedness(reader).formula(self._term(name))
        return self.logic.disj((unchanged, self.logic.conj((defined, said))))

    def is_touched(self, step: Step, name: str) -> bool:
        """True if a lemma differs after a step from before."""
        known = self._touched.get((step.name, name))
        if known is None:
            before, after = self.formula(name, self.before), self.formula(name, step.after)
            known = before is not after and canonical(before, ()) != canonical(after, ())
            self._touched[step.name, name] = known
        return known

    @cached_property
    def _touched(self) -> dict[tuple[str, str], bool]:
        return {}

    @cached_property
    def _property_names(self) -> frozenset[str]:
        return frozenset(prop.name for prop in self.definition.properties)

    def make_typing_formula(self, reader: Reader) -> Node:
        """Return the formula that every variable has a value of its sort."""
        values = reader.scope.values
        return self.logic.conj(
            self.values.make_typing_formula(symbol.sort, values[symbol])
            for symbol in self.definition.variables
        )

    @cached_property
    def typed_names(self) -> tuple[str, ...]:
        """Return the names of the lemmas that fields have values of their sorts, without trivial ones."""
        parts = self._make_typed_parts(self.before)
        return tuple(name for name, said in parts.items() if said is not self.logic.true)

    def _make_typed_parts(self, reader: Reader) -> Mapping[str, Node]:
        typed = self._typed.get(reader)
        if typed is None:
            values = reader.scope.values
            typed = self._typed[reader] = {}
            for symbol in self.definition.variables:
                for part, said in self.values.make_typed_parts(symbol.sort, values[symbol], symbol.name):
                    name = f"{TYPED}:{part}"
                    typed[name] = self.logic.conj((typed.get(name, self.logic.true), said))
        return typed

    def _term(self, name: str) -> Term:
        claims: dict[str, Term] = {lemma.name: lemma.formula for lemma in self.definition.lemmas}
        return (claims | {prop.name: prop.formula for prop in self.definition.properties})[name]

    def _place(self, place: str, reader: Reader, term: Term) -> Node:
        try:
            return reader.formula(term)
        except NotParametric as error:
            raise NotParametric(f"{place}: {error}") from None

    def kind(self, name: str) -> PropertyKind:
        """Return the kind of a property."""
        return next(prop.kind for prop in self.definition.properties if prop.name == name)


def _find_added_key_sort(target: Term) -> Sort | None:
    """Return the sort of keys if a target adds a key to a partial function; None otherwise."""
    if target.operator is not Operator.APPLY:
        return None
    function = target.arguments[0].sort
    return function.domain if isinstance(function, PartialFunction) else None


def _has_sets(sort: Sort) -> bool:
    """True for a sort of sets, or one with sets in it."""
    return any(isinstance(part, Set) for part in sorts_in(sort))


def _has_sets_of_sets(sort: Sort) -> bool:
    """True for sets of values with sets in them, and functions of such values."""
    for part in sorts_in(sort):
        match part:
            case Set() if _has_sets(part.element):
                return True
            case Function() | PartialFunction() if _has_sets(part.domain):
                return True
    return False


def _is_first_order(value: Value) -> bool:
    """True if nodes tell the value: a set is told by one if it is an element of a sort of its own."""
    match value:
        case Fields():
            return all(map(_is_first_order, value.of.values()))
        case OptionOf():
            return _is_first_order(value.value)
        case Members():
            return value.node is not None
    return isinstance(value, Node)
