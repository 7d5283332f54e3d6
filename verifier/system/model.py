"""A model: a protocol's definition together with its transition system, and the way between
their states. This is where a definition is lowered to bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, conjunction, disjunction, negation
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.definedness import Definedness
from verifier.encodings.elimination import Elimination, exists_over
from verifier.encodings.fitting import beyond as beyond_sort
from verifier.encodings.fitting import convert
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import Lowered
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.printing import text
from verifier.encodings.sorts import Sort, SortError
from verifier.encodings.terms import Symbol, Term
from verifier.specs.definition import Action, Definition, DefinitionError, PropertyKind
from verifier.system.assigning import assign, keys
from verifier.system.declared_symmetry import Named, check_symmetry, list_mentioned, order_named
from verifier.system.partial_reads import PartialRead, TemporalReads, nowhere_undefined
from verifier.system.size import check_size
from verifier.system.step_invariants import BreakingStep, StepInvariants
from verifier.system.support import Support
from verifier.system.transition_system import (
    Instance,
    NamedFormula,
    SafetyProperty,
    Symmetry,
    TransitionSystem,
)

State = dict[str, Concrete]
"""A concrete state: the value of each variable."""


@dataclass(frozen=True, eq=False)
class Leaving:
    """An assignment that may leave its variable's sort, and the states in which it would."""

    instance: str
    target: str
    sort: Sort
    when: FNode


@dataclass(frozen=True, eq=False)
class CutOff:
    """The states in which an instance is disabled only because it would leave a sort, or read what has no
    value. It need not be an instance of the system, which leaves out those that are enabled nowhere."""

    action: str
    parameters: Mapping[str, Concrete]
    when: FNode


@dataclass(frozen=True, eq=False)
class Model:
    """A protocol at given constants, read as a transition system."""

    definition: Definition
    layout: Layout
    system: TransitionSystem
    free_layouts: Mapping[str, Layout]
    """For each instance (by label) with free parameters, the layout of its inputs."""
    leaving: tuple[Leaving, ...]
    """The states that the type invariant excludes beside its formula. An instance is disabled where it
    would leave."""
    init_is_read: FNode
    """The formula that all that Init reads has a value: in every state, or the protocol is refused."""
    undefined: tuple[PartialRead, ...]
    """The reads that the property ``UndefinedRead`` excludes. An instance is disabled where it would
    read so."""
    breaking: tuple[BreakingStep, ...]
    """The steps that the step invariants exclude."""
    cut_off: tuple[CutOff, ...]
    """The states in which instances are disabled for technical reasons: by ``leaving`` and ``undefined``."""

    def instance(self, label: str) -> Instance:
        """The instance with that label. Raises KeyError if there is none."""
        for instance in self.system.instances:
            if instance.label == label:
                return instance
        raise KeyError(label)

    def free_values(self, instance: Instance, bits: Sequence[bool]) -> State:
        """The values of the free parameters that input bits stand for."""
        if not instance.inputs:
            return {}
        values = self.free_layouts[instance.label].decode_state(bits)
        return {name.removeprefix(f"{instance.label}."): value for name, value in values.items()}

    def free_bits(self, instance: Instance, values: Mapping[str, Concrete]) -> list[bool]:
        """The input bits that stand for the free parameters among ``values``."""
        if not instance.inputs:
            return []
        layout = self.free_layouts[instance.label]
        chosen = {name: values[name.removeprefix(f"{instance.label}.")] for name in layout.sorts}
        return layout.encode_state(chosen)

    def parameter_values(self, instance: Instance, bits: Sequence[bool]) -> State:
        """The values of all parameters, expanded and free, in the order of the action.

        An instance that is none of the protocol's (``verifier.system.liveness_to_safety``) has none."""
        values = {**instance.parameters, **self.free_values(instance, bits)}
        sorts = next((a.sorts for a in self.definition.actions if a.name == instance.action), {})
        return {name: values[name] for name in sorts}

    def asking(self, properties: Iterable[str]) -> Model:
        """The model in which ``UndefinedRead`` speaks of these properties and those checked along with them,
        not of the others: what they read does not matter."""
        asked = frozenset(properties)
        names = asked.union(prop.name for prop in self.system.implied)
        kept = tuple(r for r in self.undefined if r.property_name is None or r.property_name in names)
        if len(kept) == len(self.undefined) or self.definition.titles.undefined_read in asked:
            return self
        changed = tuple(
            replace(prop, formula=nowhere_undefined(kept))
            if prop.kind is PropertyKind.UNDEFINED_READ
            else prop
            for prop in self.system.properties
        )
        return replace(self, undefined=kept, system=replace(self.system, properties=changed))


def build(definition: Definition, tick: Callable[[], None] = lambda: None) -> Model:
    """Lowers a definition. Raises DefinitionError if it is not well formed.

    ``tick`` is called now and then, and may raise to end the work. Raises UsageError if the constants make it
    too large.
    """
    check_size(definition)
    symmetries = check_symmetry(definition)
    try:
        layout = Layout({symbol.name: symbol.sort for symbol in definition.variables})
    except SortError as error:  # a variable without values: no state exists
        raise DefinitionError(f"{definition.name}: {error}; give it one, or leave it out") from error
    builder = _Builder(definition, layout, symmetries, tick)
    instances = builder.name_instances(i for action in definition.actions for i in builder.instances(action))
    valid = layout.valid()
    alive = builder.alive(instances)
    system = TransitionSystem(
        leaves=layout.leaves,
        bits=layout.bits,
        valid=valid,
        init=conjunction((valid, builder.lower_defined_and_true(definition.init))),
        instances=instances,
        properties=tuple(builder.properties(alive, instances)),
        alive=alive,
        constraint=builder.constraint,
        symmetries=symmetries,
        lemmas=tuple(
            NamedFormula(lemma.name, builder.lower_defined_and_true(lemma.formula))
            for lemma in definition.lemmas
        ),
    )
    return Model(
        definition,
        layout,
        system,
        builder.free_layouts,
        tuple(builder.leaving),
        builder.definedness.of(definition.init),
        tuple(builder.undefined),
        tuple(builder.breaking),
        tuple(builder.cut_off),
    )


class _Builder:
    def __init__(
        self,
        definition: Definition,
        layout: Layout,
        symmetries: tuple[Symmetry, ...],
        tick: Callable[[], None],
    ) -> None:
        self.definition = definition
        self.tick = tick
        self.layout = layout
        self.symmetries = symmetries
        self.variables: dict[Symbol, Lowered] = {
            symbol: layout.lowered[symbol.name] for symbol in definition.variables
        }
        self.lowering = Lowering(self.variables, tick)
        self.definedness = Definedness(self.lowering)
        self.support = Support(layout)
        self.free_layouts: dict[str, Layout] = {}
        self.leaving: list[Leaving] = []
        self.undefined: list[PartialRead] = []
        self.cut_off: list[CutOff] = []
        self.steps = StepInvariants(definition, self.variables, tick)
        self.breaking: list[BreakingStep] = []
        bound = definition.constraint
        self.constraint = TRUE if bound is None else self.lower_defined_and_true(bound)
        if bound is not None:
            self._note_undefined("the constraint", (bound,), negation(self.definedness.of(bound)))

    def lower_defined_and_true(self, term: Term) -> FNode:
        """True if a formula of the state holds; not where it reads what has no value."""
        return conjunction((self.definedness.of(term), self.lowering.formula(term)))

    def _note_undefined(
        self,
        place: str,
        lines: tuple[Term, ...],
        when: FNode,
        bindings: Bindings | None = None,
        free: tuple[Symbol, ...] = (),
        property_name: str | None = None,
    ) -> None:
        if not when.is_false():
            self.undefined.append(PartialRead(place, lines, bindings or {}, free, when, property_name))

    def instances(self, action: Action) -> Iterable[Instance]:
        """All instances of an action that are not trivially disabled."""
        expanded = [parameter.symbol for parameter in action.parameters if not parameter.free]
        for values in product(*(tuple(symbol.sort.each()) for symbol in expanded)):
            instance = self._instance(action, dict(zip(expanded, values, strict=True)))
            if instance is not None:
                yield instance

    def name_instances(self, instances: Iterable[Instance]) -> tuple[Instance, ...]:
        """All instances, each with the elements that it counts as naming."""
        listed = tuple(instances)
        sorts = {action.name: action.sorts for action in self.definition.actions}
        names = order_named(listed, sorts, self.symmetries)
        return tuple(replace(instance, names=own) for instance, own in zip(listed, names, strict=True))

    def _instance(self, action: Action, bindings: Bindings) -> Instance | None:
        """The instance of an action with these values; None if it is trivially disabled."""
        parameters = {symbol.name: value for symbol, value in bindings.items()}
        label = f"{action.name}({', '.join(show(value) for value in parameters.values())})"
        lowering, inputs, wellformed = self._with_free(action, label)
        definedness = Definedness(lowering) if inputs else self.definedness
        free = tuple(parameter.symbol for parameter in action.parameters if parameter.free)
        some = Elimination(inputs).exists
        cut_off: list[FNode] = []

        def note_undefined(place: str, lines: tuple[Term, ...], when: FNode) -> None:
            cut_off.append(some(when))
            self._note_undefined(place, lines, cut_off[-1], bindings, free)

        unread = negation(definedness.of_lines(action.when, bindings))
        note_undefined(
            f"the guard of {label}", action.when, conjunction((unread, self.constraint, wellformed))
        )
        guard = self._guard(action, bindings, lowering, definedness)
        guard = conjunction((guard, self.constraint, wellformed))
        changed = dict(self.layout.lowered)
        beyond: list[FNode] = []
        if guard.is_false():
            self._note_cut_off(action, parameters, cut_off)
            return None
        for target, term in action.then:
            value = lowering.lower(term, bindings)
            read = (*keys(target), term)
            unread = negation(conjunction(definedness.of(part, bindings) for part in read))
            shown = text(target, bindings)
            note_undefined(f"the new value of {shown} in {label}", read, conjunction((guard, unread)))
            astray = [beyond_sort(target.sort, value), unread]
            converted = convert(value, term.sort, target.sort)
            assign(changed, target, converted, partial(lowering.lower, bindings=bindings), astray)
            leaves_sort = disjunction(astray)
            if not leaves_sort.is_false():
                beyond.append(leaves_sort)
                cut_off.append(some(conjunction((guard, leaves_sort))))
                self.leaving.append(Leaving(label, shown, target.sort, cut_off[-1]))
        self._note_cut_off(action, parameters, cut_off)
        guard = conjunction((guard, negation(disjunction(beyond))))
        new_bits = self.layout.encode(changed)
        updates = {old: new for old, new in zip(self.layout.bits, new_bits, strict=True) if old is not new}
        for step in self.steps.find_broken(label, guard, changed, updates, inputs):
            self.breaking.append(step)
            place = f"the property {step.property_name} in the step {label}"
            self._note_undefined(place, (), some(step.unread), {}, (), step.property_name)
        if guard.is_false():
            return None
        return Instance(
            action=action.name,
            parameters=parameters,
            guard=guard,
            updates=updates,
            inputs=inputs,
            reads=self.support.leaves((guard, *updates.values())),
            writes=self.support.leaves(updates),
            mentions=self._mentions(bindings),
        )

    def _mentions(self, bindings: Bindings) -> Named:
        """The interchangeable elements that the values of the parameters name."""
        mentioned = (
            list_mentioned(symbol.sort, value, self.symmetries) for symbol, value in bindings.items()
        )
        return tuple(item for items in mentioned for item in items)

    def _note_cut_off(self, action: Action, parameters: Mapping[str, Concrete], when: list[FNode]) -> None:
        if any(one is not FALSE for one in when):
            self.cut_off.append(CutOff(action.name, parameters, disjunction(when)))

    @staticmethod
    def _guard(action: Action, bindings: Bindings, lowering: Lowering, definedness: Definedness) -> FNode:
        """The conjunction of the guard's lines, all of which are read; lines after a false one are not."""
        lines: list[FNode] = []
        for term in action.when:
            lines.append(lowering.formula(term, bindings))
            if lines[-1].is_false():
                return lines[-1]
        return conjunction((*lines, *(definedness.of(term, bindings) for term in action.when)))

    def _with_free(self, action: Action, label: str) -> tuple[Lowering, tuple[FNode, ...], FNode]:
        free = [parameter.symbol for parameter in action.parameters if parameter.free]
        if not free:
            return self.lowering, (), conjunction(())
        layout = Layout({f"{label}.{symbol.name}": symbol.sort for symbol in free})
        chosen = {symbol: layout.lowered[f"{label}.{symbol.name}"] for symbol in free}
        self.free_layouts[label] = layout
        return self.lowering.extend(chosen), layout.bits, layout.valid()

    def alive(self, instances: Iterable[Instance]) -> FNode:
        """Return the formula that a step is possible. Outside the constraint steps are possible, but not
        explored."""
        guards = [exists_over(instance.guard, instance.inputs) for instance in instances]
        disabled = (*(leaving.when for leaving in self.leaving), *(read.when for read in self.undefined))
        return disjunction((*guards, *disabled, negation(self.constraint)))

    def properties(self, alive: FNode, instances: Sequence[Instance]) -> Iterable[SafetyProperty]:
        """The properties, the type invariant with what the instances added to it."""
        stays = negation(disjunction(leaving.when for leaving in self.leaving))
        properties = []
        for prop in self.definition.properties:
            if prop.kind is PropertyKind.STEP_INVARIANT:
                properties.append(
                    SafetyProperty(prop.name, prop.kind, self._unbroken(prop.name), prop.default)
                )
                continue
            formula, read = self.lowering.formula(prop.formula), self.definedness.of(prop.formula)
            unread = negation(read)
            if prop.kind is PropertyKind.REACHABLE:
                formula = negation(conjunction((read, formula)))
            else:  # without value it is not claimed to fail: UndefinedRead is
                formula = disjunction((unread, formula))
            if prop.kind is PropertyKind.TYPE_INVARIANT:
                formula = conjunction((formula, stays))
            elif prop.kind is PropertyKind.DEADLOCK_INVARIANT:
                formula, unread = disjunction((formula, alive)), conjunction((unread, negation(alive)))
            place = f"the property {prop.name}"
            self._note_undefined(place, (prop.formula,), unread, property_name=prop.name)
            properties.append(SafetyProperty(prop.name, prop.kind, formula, prop.default))
        kept = [prop for prop in properties if prop.kind is not PropertyKind.UNDEFINED_READ]
        if len(kept) < len(properties):  # a module asks for it of each temporal property alone
            reads = TemporalReads(self.definition, self.layout, instances)
            self.undefined += (read for prop in self.definition.temporal for read in reads.find(prop))
        nowhere = nowhere_undefined(self.undefined)
        if len(kept) == len(properties) and nowhere.is_true():
            return properties
        title, kind = self.definition.titles.undefined_read, PropertyKind.UNDEFINED_READ
        return [*kept, SafetyProperty(title, kind, nowhere, default=False)]

    def _unbroken(self, name: str) -> FNode:
        own = (step for step in self.breaking if step.property_name == name)
        return negation(disjunction(exists_over(step.when, step.inputs) for step in own))
