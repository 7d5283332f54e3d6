"""Liveness as safety: a model in which a state that cannot be reached says that no fair loop violates a
temporal property (Biere, Artho, Schuppan 2002, doi:10.1016/S1571-0661(04)80410-9).

One more instance, which may fire once at any time, notes that a loop starts and copies the state. From then
on flags note what the loop has done. The property fails where the state equals its copy again, and the flags
and this state say that the loop is fair and meets a goal. What is true of a state of the loop is noted in the
step that leaves it, and of the last one where the property is asked. So the loop may have no step: then it is
stuttering. Variables that no loop changes (``frozen``) need no copy: once a loop has started, no step may
change them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pysmt.fnode import FNode

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    equivalence,
    negation,
    restrict_formula,
)
from verifier.encodings.layout import Layout
from verifier.encodings.sorts import Boolean
from verifier.specs.definition import PropertyKind
from verifier.specs.temporal import Strength
from verifier.system.fairness import steps_of
from verifier.system.frozen import find_frozen_variables
from verifier.system.liveness import LiveModel
from verifier.system.model import Model
from verifier.system.same_steps import SameSteps
from verifier.system.support import Support
from verifier.system.temporal_reading import Goal
from verifier.system.transition_system import Instance, NamedFormula, SafetyProperty

LOOP_STARTS = "the loop starts"
"""The action of the instance that notes the start of a loop."""
WHERE_LOOP_STARTS = "where the loop starts"
"""The suffix of a variable or lemma if it is about the copy of the state."""


@dataclass(frozen=True, eq=False)
class _Flag:
    """A bit that is set for good once the loop has done something."""

    bit: FNode
    sets: FNode
    """It is set by a step from a state in which this holds,"""
    setters: Mapping[int, FNode] = field(default_factory=dict)
    """or by a step of one of these instances from a state in which that holds."""

    @property
    def now(self) -> FNode:
        """True if it is set, or the present state would set it."""
        return disjunction((self.bit, self.sets))


def loop_model(live: LiveModel) -> Model:
    """The model whose property, of the same name, says that no fair loop violates the temporal property."""
    model, system = live.model, live.model.system
    names = _flag_names(live)
    frozen = find_frozen_variables(model)
    moving = {name: sort for name, sort in model.layout.sorts.items() if name not in frozen}
    copied = {f"{name} {WHERE_LOOP_STARTS}": sort for name, sort in moving.items()}
    flags = dict.fromkeys((LOOP_STARTS, *names), Boolean())
    layout = Layout({**model.layout.sorts, **copied, **flags})
    copies = dict(zip(_bits_of(layout, moving), _bits_of(layout, copied), strict=True))
    looping, *rest = _bits_of(layout, flags)
    flag_terms = _flags(live, dict(zip(names, rest, strict=True)))
    support = Support(layout)
    starts = _starting(live, looping, copies, support)
    own = len(system.bits)
    first = _first_bits(layout)[own:]
    init = (bit if value else negation(bit) for bit, value in zip(layout.bits[own:], first, strict=True))
    goal = SafetyProperty(
        live.property_.name,
        PropertyKind.INVARIANT,
        negation(_violating(live, looping, copies, flag_terms)),
        default=True,
    )
    return replace(
        model,
        layout=layout,
        system=replace(
            system,
            leaves=layout.leaves,
            bits=layout.bits,
            valid=conjunction((system.valid, layout.valid())),
            init=conjunction((system.init, *init)),
            instances=(
                *(
                    _noting(live, n, looping, copies, flag_terms, support)
                    for n in range(len(system.instances))
                ),
                starts,
            ),
            properties=(*system.implied, goal),
            lemmas=(*system.lemmas, *(_copy_lemma(lemma, looping, copies) for lemma in system.lemmas)),
        ),
        breaking=(),
    )


def _flag_names(live: LiveModel) -> list[str]:
    names = [f"goal {g} visit {v}" for g, goal in enumerate(live.goals) for v, _ in enumerate(goal.visits)]
    names += [f"goal {g} left" for g, goal in enumerate(live.goals) if _may_be_left(goal)]
    for number, condition in enumerate(live.conditions):
        names.append(f"condition {number} met")
        if condition.strength is Strength.STRONG:
            names.append(f"condition {number} enabled")
    return names


def _may_be_left(goal: Goal) -> bool:
    return goal.stays is not TRUE or bool(goal.avoids)


def _flags(live: LiveModel, bits: Mapping[str, FNode]) -> dict[str, _Flag]:
    flags: dict[str, _Flag] = {}

    def flag(name: str, sets: FNode, setters: Iterable[tuple[int, FNode]] = ()) -> None:
        flags[name] = _Flag(bits[name], sets, dict(setters))

    for g, goal in enumerate(live.goals):
        for v, visit in enumerate(goal.visits):
            flag(f"goal {g} visit {v}", visit.state, visit.steps)
        if _may_be_left(goal):
            flag(f"goal {g} left", negation(goal.stays), goal.avoids)
    same = SameSteps(live.base.system.instances, live.base.system.bits)
    for place, condition in enumerate(live.conditions):
        weak = condition.strength is Strength.WEAK
        takers = steps_of(live.base, condition, same).items()
        flag(f"condition {place} met", negation(condition.enabled) if weak else FALSE, takers)
        if not weak:
            flag(f"condition {place} enabled", condition.enabled)
    return flags


def _violating(
    live: LiveModel, looping: FNode, copies: Mapping[FNode, FNode], flags: Mapping[str, _Flag]
) -> FNode:
    """True if the present state closes a fair loop that meets a goal."""
    closed = (equivalence(bit, copy) for bit, copy in copies.items())
    goals = []
    for g, goal in enumerate(live.goals):
        met = [flags[f"goal {g} visit {v}"].now for v, _ in enumerate(goal.visits)]
        if _may_be_left(goal):
            met.append(negation(flags[f"goal {g} left"].now))
        goals.append(conjunction(met))
    fair = []
    for number, condition in enumerate(live.conditions):
        met_now = flags[f"condition {number} met"].now
        if condition.strength is Strength.STRONG:
            met_now = disjunction((met_now, negation(flags[f"condition {number} enabled"].now)))
        fair.append(met_now)
    return conjunction((looping, live.read, *closed, *fair, disjunction(goals)))


def _noting(
    live: LiveModel,
    number: int,
    looping: FNode,
    copies: Mapping[FNode, FNode],
    flags: Mapping[str, _Flag],
    support: Support,
) -> Instance:
    """The instance, which also sets the flags if a loop has started, and then changes no frozen variable. An
    execution ends where the property reads what has no value, which is reported."""
    instance = live.model.system.instances[number]
    kept = conjunction(equivalence(b, new) for b, new in instance.updates.items() if b not in copies)
    guard = conjunction((instance.guard, live.read, disjunction((negation(looping), kept))))
    updates = dict(instance.updates)
    for flag in flags.values():
        taken = flag.setters.get(number, FALSE)
        updates[flag.bit] = disjunction((flag.bit, conjunction((looping, disjunction((flag.sets, taken))))))
    return replace(
        instance,
        guard=guard,
        updates=updates,
        reads=support.leaves((guard, *updates.values())),
        writes=support.leaves(updates),
    )


def _starting(live: LiveModel, looping: FNode, copies: Mapping[FNode, FNode], support: Support) -> Instance:
    system = live.model.system
    updates = {**{copy: bit for bit, copy in copies.items()}, looping: TRUE}
    guard = conjunction((negation(looping), live.read, system.constraint))
    reads, writes = support.leaves((guard, *updates.values())), support.leaves(updates)
    return Instance(LOOP_STARTS, {}, guard, updates, (), reads, writes, ())


def _bits_of(layout: Layout, names: Collection[str]) -> list[FNode]:
    """The bits of these variables, in the order of the layout."""
    return [bit for leaf in layout.leaves if leaf.path[0] in names for bit in leaf.bits]


def _first_bits(layout: Layout) -> list[bool]:
    """The bits of a state in which every variable has its default: the copies are so until a loop starts."""
    state = {name: sort.default for name, sort in layout.sorts.items()}
    return layout.encode_state(state)


def _copy_lemma(lemma: NamedFormula, looping: FNode, renamed: Mapping[FNode, FNode]) -> NamedFormula:
    """The lemma about the state in which the loop starts."""
    there = restrict_formula(lemma.formula, renamed)
    return NamedFormula(f"{lemma.name} {WHERE_LOOP_STARTS}", disjunction((negation(looping), there)))
