"""The one-step relation as clauses. They are made once, and copied for each frame with other variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.clauses.parallel_steps import firing_order
from verifier.encodings.bits import bit, disjunction
from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import IndexSet
from verifier.system.transition_system import Instance, TransitionSystem


class Steps(StrEnum):
    """The number of actions that one step takes."""

    SERIAL = "serial"
    """Exactly one."""
    PARALLEL = "parallel"
    """At least one, in a fixed order in which none disturbs a later one (``parallel_steps``)."""


Clauses = list[list[int]]


@dataclass(frozen=True)
class Unrolling:
    """The clauses of frame 0. ``FrameVariables`` places them in other frames.

    The variables of a frame are the state bits, from 1 on, and then gates, up to ``stride``. Variable
    ``stride + i`` is bit *i* of the next frame.
    """

    stride: int
    bits: int
    """The number of state bits; they are variables 1, 2, …"""
    start: Clauses
    """Holds in frame 0 only: an initial state."""
    state: Clauses
    """Defines the property and enabledness literals of a frame."""
    relation: Clauses
    """One step from this frame to the next."""
    succession: Clauses
    """Constrains the instances of this frame and the next: of two that commute, the first goes first."""
    properties: Mapping[str, int]
    """For each property the literal that it holds."""
    enabled: Mapping[str, int]
    """For each action the literal that an instance of it is enabled."""
    firing: Sequence[int]
    """For each instance the variable that it is taken."""
    inputs: Sequence[tuple[int, ...]]
    """For each instance the variables of its free parameters."""
    order: Sequence[int]
    """The order in which instances of one step are taken."""


def unroll(
    system: TransitionSystem, steps: Steps, symmetry: bool, swapping: bool = True, idle: bool = False
) -> Unrolling:
    """The clauses of a system.

    With ``symmetry``, only executions that name interchangeable elements in their order are considered; every
    execution can be renamed to such a one. With ``swapping``, only executions are considered in which two
    consecutive instances that commute stand in the order of instances; every execution can be reordered so.
    With ``idle``, a step may take no action, so that every shorter execution reaches the last frame too.
    """
    return _UnrollingBuilder(system, steps, symmetry, swapping, idle).build()


class _UnrollingBuilder:
    def __init__(
        self, system: TransitionSystem, steps: Steps, symmetry: bool, swapping: bool, idle: bool
    ) -> None:
        self.system = system
        self.steps = steps
        self.swapping = swapping
        self.idle = idle
        self.cnf = Clausifier()
        self.mentions = _Mentions(system) if symmetry else None
        held = [*system.bits, *(self.mentions.bits if self.mentions else ())]
        self.current = [self.cnf.declare(symbol) for symbol in held]
        self.following = [self.cnf.declare(bit(f"{symbol.symbol_name()}'")) for symbol in held]

    def build(self) -> Unrolling:
        cnf, system = self.cnf, self.system
        properties = {prop.name: cnf.literal(prop.formula) for prop in system.properties}
        guards = [cnf.literal(instance.guard) for instance in system.instances]
        enabled = self._make_enabled_literals(guards)
        # A gate of Init may also be a gate of an update. Then every frame needs it.
        parts = system.init.args() if system.init.is_and() else (system.init,)
        clauses = (part.args() if part.is_or() else (part,) for part in parts)
        initial = [[cnf.literal(item) for item in clause] for clause in clauses]
        state_end = len(cnf.clauses)
        for clause in initial:
            cnf.add_clause(clause)
        if self.mentions:
            cnf.clauses.extend([-variable] for variable in self.current[len(system.bits) :])
        start_end = len(cnf.clauses)
        firing = [cnf.fresh() for _ in system.instances]
        order = firing_order(system.instances) if self.steps is Steps.PARALLEL else range(len(firing))
        for fires, guard in zip(firing, guards, strict=True):
            cnf.add_clause([-fires, guard])
        if not self.idle:
            cnf.add_clause(firing)
        if self.steps is Steps.SERIAL:
            self._at_most_one(firing)
        else:
            self._forbid_later_use(firing, order)
        self._updates(firing)
        if self.mentions:
            self._name_in_order(firing)
        inputs = [tuple(cnf.declare(symbol) for symbol in instance.inputs) for instance in system.instances]
        count, stride = len(self.current), cnf.variable_count - len(self.current)

        variables = range(1, cnf.variable_count + 1)
        positive = [self._renumber(variable, count, stride) for variable in variables]
        # Negative literals index the list from its end.
        numbers = [0, *positive, *(-number for number in reversed(positive))]
        one = numbers.__getitem__

        def renumber(clauses: Iterable[Sequence[int]]) -> Clauses:
            return [[numbers[literal] for literal in clause] for clause in clauses]

        return Unrolling(
            stride=stride,
            bits=len(system.bits),
            start=renumber(cnf.clauses[state_end:start_end]),
            state=renumber(cnf.clauses[:state_end]),
            relation=renumber(cnf.clauses[start_end:]),
            succession=self._succession([one(variable) for variable in firing], stride),
            properties={name: one(literal) for name, literal in properties.items()},
            enabled={name: one(literal) for name, literal in enabled.items()},
            firing=[one(variable) for variable in firing],
            inputs=[tuple(one(variable) for variable in group) for group in inputs],
            order=list(order),
        )

    @staticmethod
    def _renumber(variable: int, count: int, stride: int) -> int:
        """Current bits first, then gates; the next frame's bits follow at ``stride``."""
        if variable > 2 * count:
            return variable - count
        return variable + stride - count if variable > count else variable

    def _make_enabled_literals(self, guards: Sequence[int]) -> dict[str, int]:
        by_action: dict[str, list[FNode]] = {}
        for instance in self.system.instances:
            by_action.setdefault(instance.action, []).append(instance.guard)
        return {action: self.cnf.literal(disjunction(terms)) for action, terms in by_action.items()}

    def _at_most_one(self, firing: Sequence[int]) -> None:
        """The ladder encoding: ``earlier`` says that an earlier instance fires."""
        earlier = 0
        for fires in firing:
            reached = self.cnf.fresh()
            self.cnf.clauses.append([-fires, reached])
            if earlier:
                self.cnf.clauses += [[-earlier, reached], [-earlier, -fires]]
            earlier = reached

    def _forbid_later_use(self, firing: Sequence[int], order: Iterable[int]) -> None:
        """After an instance that writes a leaf, no instance that reads or writes the leaf fires."""
        written: dict[int, int] = {}
        for index in order:
            instance, fires = self.system.instances[index], firing[index]
            for leaf in instance.reads | instance.writes:
                if leaf in written:
                    self.cnf.clauses.append([-written[leaf], -fires])
            for leaf in instance.writes:
                now = self.cnf.fresh()
                self.cnf.clauses.append([-fires, now])
                if leaf in written:
                    self.cnf.clauses.append([-written[leaf], now])
                written[leaf] = now

    def _succession(self, firing: Sequence[int], stride: int) -> Clauses:
        """Partial-order reduction for serial steps (peephole: Wang et al. 2008,
        doi:10.1007/978-3-540-78800-3_29): an execution in which two neighbours commute and stand
        against the order of instances reaches the same state when they are swapped.

        It agrees with naming elements in order: among all swaps and renamings of an execution the
        least in the order of instances, which compares parameters element by element, obeys both.
        """
        if self.steps is Steps.PARALLEL or not self.swapping:
            return []
        instances = self.system.instances
        return [
            [-firing[later], -(firing[earlier] + stride)]
            for later, second in enumerate(instances)
            for earlier, first in enumerate(instances[:later])
            if not (first.writes & (second.reads | second.writes) or second.writes & first.reads)
        ]

    def _updates(self, firing: Sequence[int]) -> None:
        """An instance that fires assigns new values to its bits. All other bits keep their values."""
        writers: dict[FNode, list[int]] = {}
        place = {symbol: index for index, symbol in enumerate(self.system.bits)}
        for instance, fires in zip(self.system.instances, firing, strict=True):
            for symbol, term in instance.updates.items():
                writers.setdefault(symbol, []).append(fires)
                new, after = self.cnf.literal(term), self.following[place[symbol]]
                self.cnf.add_clause([-fires, -new, after])
                self.cnf.add_clause([-fires, new, -after])
        touched: dict[tuple[int, ...], int] = {}
        for symbol, index in place.items():
            group = tuple(writers.get(symbol, ()))
            now, after = self.current[index], self.following[index]
            if group and group not in touched:
                touched[group] = self._any(group)
            changed = [touched[group]] if group else []
            self.cnf.clauses += [[*changed, -now, after], [*changed, now, -after]]

    def _any(self, literals: Sequence[int]) -> int:
        if len(literals) == 1:
            return literals[0]
        result = self.cnf.fresh()
        self.cnf.clauses.append([-result, *literals])
        return result

    def _name_in_order(self, firing: Sequence[int]) -> None:
        """An instance may name an element only if the element before it was named."""
        assert self.mentions is not None
        base, clauses = len(self.system.bits), self.cnf.clauses
        for number, fires_of in enumerate(self.mentions.named_by):
            now, after = self.current[base + number], self.following[base + number]
            namers = [firing[index] for index in fires_of]
            clauses.append([-after, now, *namers])
            clauses.append([-now, after])
            clauses.extend([-fires, after] for fires in namers)
        for index, earlier in self.mentions.requirements:
            # Of a serial step, an earlier step must have named it. A parallel step may name both.
            timing = self.current if self.steps is Steps.SERIAL else self.following
            clauses.append([-firing[index], timing[base + earlier]])


class _Mentions:
    """Further state bits: which interchangeable elements the execution has named so far."""

    def __init__(self, system: TransitionSystem) -> None:
        self.bits: list[FNode] = []
        self.named_by: list[list[int]] = []
        """For each bit, the instances that name its element."""
        self.requirements: list[tuple[int, int]] = []
        """Pairs of an instance and a bit that must hold if the instance fires."""
        place: dict[tuple[IndexSet, Concrete], int] = {}
        predecessor: dict[int, int] = {}
        for symmetry in system.symmetries:
            for rank, element in enumerate(symmetry.movable):
                number = place[symmetry.sort, element] = len(self.bits)
                if rank:
                    predecessor[number] = number - 1
                self.bits.append(bit(f"named {element} of {symmetry.sort}"))
                self.named_by.append([])
        for index, instance in enumerate(system.instances):
            self._require(index, instance, place, predecessor)

    def _require(
        self,
        index: int,
        instance: Instance,
        place: Mapping[tuple[IndexSet, Concrete], int],
        predecessor: Mapping[int, int],
    ) -> None:
        own: set[int] = set()
        for item in instance.names:
            number = place[item]
            before = predecessor.get(number)
            if before is not None and before not in own and number not in own:
                self.requirements.append((index, before))
            if number not in own:
                self.named_by[number].append(index)
            own.add(number)
