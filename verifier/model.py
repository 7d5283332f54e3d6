"""A model: a protocol's definition together with its transition system, and the way between
their states. This is where a definition is lowered to bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.bits import TRUE, conjunction, disjunction, negation, somehow
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import Lowered, cases, convert, either, is_total, outside
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.printing import text
from verifier.encodings.sorts import Sort, SortError
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.definition import Action, Definition, PropertyKind
from verifier.specs.protocol import DefinitionError, Protocol, define
from verifier.symmetry import check_symmetry, mentioned
from verifier.system import Instance, NamedFormula, SafetyProperty, Symmetry, TransitionSystem

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
class Model:
    """A protocol at given constants, read as a transition system."""

    protocol: Protocol
    definition: Definition
    layout: Layout
    system: TransitionSystem
    free_layouts: Mapping[str, Layout]
    """For each instance (by label) with free parameters, the layout of its inputs."""
    leaving: tuple[Leaving, ...]
    """What the type invariant excludes beside its formula. An instance is disabled where it would leave."""

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


def build(protocol: Protocol) -> Model:
    """Lowers a protocol. Raises DefinitionError if it is not well formed."""
    definition = define(protocol)
    symmetries = check_symmetry(definition)
    try:
        layout = Layout({symbol.name: symbol.sort for symbol in definition.variables})
    except SortError as error:  # a variable without values: no state exists
        raise DefinitionError(f"{definition.name}: {error}; give it one, or leave it out") from error
    builder = _Builder(definition, layout, symmetries)
    instances = tuple(instance for action in definition.actions for instance in builder.instances(action))
    valid = layout.valid()
    alive = builder.alive(instances)
    system = TransitionSystem(
        leaves=layout.leaves,
        bits=layout.bits,
        valid=valid,
        init=conjunction((valid, builder.lowering.formula(definition.init))),
        instances=instances,
        properties=tuple(builder.properties(alive)),
        alive=alive,
        constraint=TRUE if builder.constraint is None else builder.constraint,
        symmetries=symmetries,
        lemmas=tuple(
            NamedFormula(lemma.name, builder.lowering.formula(lemma.formula)) for lemma in definition.lemmas
        ),
    )
    return Model(protocol, definition, layout, system, builder.free_layouts, tuple(builder.leaving))


class _Builder:
    def __init__(self, definition: Definition, layout: Layout, symmetries: tuple[Symmetry, ...]) -> None:
        self.definition = definition
        self.layout = layout
        self.symmetries = symmetries
        self.variables: dict[Symbol, Lowered] = {
            symbol: layout.lowered[symbol.name] for symbol in definition.variables
        }
        self.lowering = Lowering(self.variables)
        self.support = Support(layout)
        self.free_layouts: dict[str, Layout] = {}
        self.leaving: list[Leaving] = []
        bound = definition.constraint
        self.constraint = None if bound is None else self.lowering.formula(bound)

    def instances(self, action: Action) -> Iterable[Instance]:
        """All instances of an action that are not trivially disabled."""
        expanded = [parameter.symbol for parameter in action.parameters if not parameter.free]
        for values in product(*(tuple(symbol.sort.values()) for symbol in expanded)):
            instance = self._instance(action, dict(zip(expanded, values, strict=True)))
            if not instance.guard.is_false():
                yield instance

    def _instance(self, action: Action, bindings: Bindings) -> Instance:
        parameters = {symbol.name: value for symbol, value in bindings.items()}
        label = f"{action.name}({', '.join(show(value) for value in parameters.values())})"
        lowering, inputs, wellformed = self._with_free(action, label)
        lines = [lowering.formula(term, bindings) for term in action.when]
        if self.constraint is not None:
            lines.append(self.constraint)
        guard = conjunction((*lines, wellformed))
        changed = dict(self.layout.lowered)
        beyond: list[FNode] = []
        for target, term in () if guard.is_false() else action.then:
            value = lowering.lower(term, bindings)
            astray = [outside(target.sort, value)]
            converted = convert(value, term.sort, target.sort)
            self._assign(changed, target, converted, lowering, bindings, astray)
            leaves_sort = disjunction(astray)
            if not leaves_sort.is_false():
                beyond.append(leaves_sort)
                when = somehow(conjunction((guard, leaves_sort)), inputs)
                self.leaving.append(Leaving(label, text(target, bindings), target.sort, when))
        guard = conjunction((guard, negation(disjunction(beyond))))
        new_bits = self.layout.encode(changed)
        updates = {old: new for old, new in zip(self.layout.bits, new_bits, strict=True) if old is not new}
        mentions = [
            item
            for symbol, value in bindings.items()
            for item in mentioned(symbol.sort, value, self.symmetries)
        ]
        return Instance(
            action=action.name,
            parameters=parameters,
            guard=guard,
            updates=updates,
            inputs=inputs,
            reads=self.support.leaves((guard, *updates.values())),
            writes=self.support.leaves(updates),
            mentions=tuple(mentions),
        )

    def _with_free(self, action: Action, label: str) -> tuple[Lowering, tuple[FNode, ...], FNode]:
        free = [parameter.symbol for parameter in action.parameters if parameter.free]
        if not free:
            return self.lowering, (), conjunction(())
        layout = Layout({f"{label}.{symbol.name}": symbol.sort for symbol in free})
        chosen = {symbol: layout.lowered[f"{label}.{symbol.name}"] for symbol in free}
        self.free_layouts[label] = layout
        return Lowering({**self.variables, **chosen}), layout.bits, layout.valid()

    def _assign(
        self,
        changed: dict[str, Any],
        target: Term,
        value: Any,
        lowering: Lowering,
        bindings: Bindings,
        beyond: list[FNode],
    ) -> None:
        """Puts ``value`` at the path ``target`` of the changed variables."""
        path: list[Term] = []
        while target.operator is not Operator.VARIABLE:
            path.append(target)
            target = target.arguments[0]
        assert isinstance(target.data, Symbol)
        name = target.data.name

        def put(current: Any, steps: list[Term]) -> Any:
            if not steps:
                return value
            step, rest = steps[0], steps[1:]
            if step.operator is Operator.FIELD:
                return {**current, step.data: put(current[step.data], rest)}
            key = lowering.lower(step.arguments[1], bindings)
            result = dict(current)
            possible = cases(step.arguments[1].sort, key)
            within = [(item, when) for item, when in possible if item in result]
            for item, when in within:
                result[item] = either(when, put(current[item], rest), current[item])
            if len(within) < len(possible) or not is_total(key):
                beyond.append(negation(disjunction(when for _, when in within)))
            return result

        changed[name] = put(changed[name], list(reversed(path)))

    def alive(self, instances: Iterable[Instance]) -> FNode:
        """Whether something can happen. Beyond the constraint it could, but is not looked at."""
        guards = [somehow(instance.guard, instance.inputs) for instance in instances]
        beyond = [] if self.constraint is None else [negation(self.constraint)]
        return disjunction((*guards, *(leaving.when for leaving in self.leaving), *beyond))

    def properties(self, alive: FNode) -> Iterable[SafetyProperty]:
        """The properties, the type invariant with what the instances added to it."""
        stays = negation(disjunction(leaving.when for leaving in self.leaving))
        for prop in self.definition.properties:
            formula = self.lowering.formula(prop.formula)
            if prop.kind is PropertyKind.TYPE_INVARIANT:
                formula = conjunction((formula, stays))
            elif prop.kind is PropertyKind.DEADLOCK_INVARIANT:
                formula = disjunction((formula, alive))
            elif prop.kind is PropertyKind.REACHABLE:
                formula = negation(formula)
            yield SafetyProperty(prop.name, prop.kind, formula, prop.default)


class Support:
    """Which leaves of the state a term depends on."""

    def __init__(self, layout: Layout) -> None:
        self._leaf_of = {bit: index for index, leaf in enumerate(layout.leaves) for bit in leaf.bits}
        self._memo: dict[FNode, int] = {bit: 1 << index for bit, index in self._leaf_of.items()}

    def leaves(self, terms: Iterable[FNode]) -> frozenset[int]:
        """The leaves (by index) that occur in any of the terms."""
        mask = 0
        for term in terms:
            mask |= self._mask(term)
        return frozenset(index for index in range(mask.bit_length()) if mask >> index & 1)

    def _mask(self, root: FNode) -> int:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._memo:
                stack.pop()
                continue
            missing = [argument for argument in node.args() if argument not in self._memo]
            if missing:
                stack.extend(missing)
                continue
            mask = 0  # the bits of free parameters are no state
            for argument in node.args():
                mask |= self._memo[argument]
            self._memo[node] = mask
            stack.pop()
        return self._memo[root]
