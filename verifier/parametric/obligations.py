"""The obligations of a proof by induction, one action and lemma at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from verifier.parametric.assumed import assumption_node
from verifier.parametric.clausal import Clause, Clausifier
from verifier.parametric.conjuncts import conjuncts
from verifier.parametric.instances import ground_terms
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import Node, canonical
from verifier.parametric.obligation import Obligation
from verifier.parametric.premises import Premises
from verifier.parametric.system import ALWAYS, INITIALLY, READS, STAYS, ParametricSystem, Step
from verifier.parametric.traced import Assumption
from verifier.specs.definition import PropertyKind
from verifier.specs.titles import UNDEFINED_READ


class Obligations:
    """The obligations of a system for some properties."""

    def __init__(
        self,
        system: ParametricSystem,
        assumptions: Sequence[Assumption],
        *,
        kept: Sequence[str] = (),
        with_stays: bool = False,
    ) -> None:
        """``kept``: properties that are also lemmas. ``with_stays``: add a lemma for each action that it
        keeps within sorts and reads defined values. Add a lemma for each lemma that its reads are defined."""
        self.kept = tuple(kept)
        self.with_stays = with_stays
        self.system = system
        self.logic: Logic = system.logic
        self.clausifier = Clausifier(self.logic)
        self.constants = tuple(Clause((), assumption_node(self.logic, one)) for one in assumptions)

    @cached_property
    def premises(self) -> Premises:
        """Return the premises of the obligations."""
        return Premises(self.system, self.clausifier, self.constants, self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the claims that all actions together preserve: Typed, the type invariants, the
        lemmas."""
        definition = self.system.definition
        typed = [prop.name for prop in definition.properties if prop.kind is PropertyKind.TYPE_INVARIANT]
        lemmas = [lemma.name for lemma in definition.lemmas]
        said = [*self.system.typed_names, *filter(self._says_something, typed), *lemmas]
        said += [name for name in self.kept if name not in said]
        if self.with_stays:
            said += [*filter(self._says_something, (f"{READS}{name}" for name in lemmas))]
            said += [f"{STAYS}{step.name}" for step in self.system.steps]
        return tuple(said)

    def _says_something(self, name: str) -> bool:
        return self.system.formula(name, self.system.before) is not self.logic.true

    def list_needed_claims(self, name: str) -> tuple[str, ...]:
        """Return the claims that a claim includes besides its formula. Each claim includes that its reads
        have values. A type invariant includes that all values belong to their sorts. So does a deadlock
        invariant: a step that leaves a sort is disabled at given constants, but counts as enabled here. If
        nothing disables such a step, each claim includes that there is none."""
        kinds = (PropertyKind.TYPE_INVARIANT, PropertyKind.DEADLOCK_INVARIANT)
        is_about_sorts = self.system.claims_sorts or self.system.kind(name) in kinds
        typed = self.system.typed_names if is_about_sorts else ()
        return (*typed, UNDEFINED_READ)

    def initiation(self) -> Iterator[Obligation]:
        """Yield the obligations that each lemma holds initially."""
        given = self.clausifier.clauses(self.system.init, "init")
        for name in self.names:
            formula = self.system.formula(name, self.system.before)
            yield from self._parts(INITIALLY, name, formula, given, (), inductive=False)

    def consecution(self) -> Iterator[Obligation]:
        """Yield the obligations that each action preserves each lemma. A lemma that an action does not touch
        needs no solver."""
        for step in self.system.steps:
            given = self._guard(step)
            for name in self.names:
                if self.system.is_touched(step, name):
                    after = self.system.formula(name, step.after)
                    own, known = step.parameters, self._same_before(name)
                    yield from self._parts(step.name, name, after, given, own, inductive=True, known=known)

    def _same_before(self, name: str) -> frozenset[str]:
        """Return the parts of a lemma in the state before a step, as texts. A part that is equal in the state
        after needs no solver."""
        parts = self._known_parts.get(name)
        if parts is None:
            formula = self.system.formula(name, self.system.before)
            parts = frozenset(canonical(part, ()) for part in self._conjuncts(name, formula))
            self._known_parts[name] = parts
        return parts

    @cached_property
    def _known_parts(self) -> dict[str, frozenset[str]]:
        return {}

    def _conjuncts(self, claim: str, formula: Node) -> Iterator[Node]:
        """Yield parts of a claim. Claims about reads and assignments have many simple parts: a few queries
        are faster there than one for each."""
        return conjuncts(self.logic, formula, implied=not is_about_reads(claim))

    def safety(self, name: str) -> Iterator[Obligation]:
        """Yield the obligations that the lemmas imply a property. A deadlock invariant is shown part after
        part."""
        formula = self.system.formula(name, self.system.before)
        obligations = self._parts(ALWAYS, name, formula, (), (), inductive=True)
        if self.system.kind(name) is not PropertyKind.DEADLOCK_INVARIANT:
            yield from obligations
            return
        parts, known = list(self._conjuncts(name, formula)), list(self._stuck)
        for one in obligations:
            yield replace(one, known=tuple(known))
            said = self.clausifier.clauses(parts[one.part], f"{name} {one.part}")
            known += [clause for clause in said if len(clause.variables) <= 1]  # others have many instances

    @cached_property
    def _stuck(self) -> tuple[Clause, ...]:
        clauses = self.clausifier.clauses
        said = (
            clauses(one, f"stuck {number}") for number, one in enumerate(self.system.make_deadlock_formulas())
        )
        return tuple(chain.from_iterable(said))

    def steps(self, name: str) -> Iterator[Obligation]:
        """Yield the obligations that each action satisfies a step invariant where the lemmas hold."""
        for step in self.system.steps:
            formula = self.system.of_step(name, step)
            given = self._guard(step)
            yield from self._parts(step.name, name, formula, given, step.parameters, inductive=True)

    def _guard(self, step: Step) -> tuple[Clause, ...]:
        known = self._guards.get(step.name)
        if known is None:
            known = self._guards[step.name] = self.clausifier.clauses(step.guard, f"{step.name} guard")
        return known

    @cached_property
    def _guards(self) -> dict[str, tuple[Clause, ...]]:
        return {}

    def reads(self) -> Iterator[Obligation]:
        """Yield the obligations that all reads have values. For the actions and the constraint, this must
        hold wherever the lemmas hold; for Init, in each state."""
        first = self.system.initial_reads()
        yield from self._parts(INITIALLY, UNDEFINED_READ, first, (), (), inductive=False)
        for place, formula in self.system.reads():
            yield from self._parts(place, UNDEFINED_READ, formula, (), (), inductive=True)

    def _parts(
        self,
        at: str,
        claim: str,
        formula: Node,
        given: Sequence[Clause],
        parameters: Sequence[Node],
        *,
        inductive: bool,
        known: frozenset[str] = frozenset(),
    ) -> Iterator[Obligation]:
        for number, part in enumerate(self._conjuncts(claim, formula)):
            if part is self.logic.true or (known and canonical(part, ()) in known):
                continue
            word = f"{at} {claim} {number}"
            negated = self.clausifier.clauses(self.logic.neg(part), word)
            named = ground_terms(clause.body for clause in negated)
            terms = [node for node in named if str(node.data).startswith(f"{word}!") and not node.args]
            yield Obligation(
                at,
                claim,
                number,
                negated,
                tuple(given),
                tuple(dict.fromkeys((*terms, *parameters))),
                inductive,
            )


def is_about_reads(claim: str) -> bool:
    """True if a claim says that reads have values, and so has a part for each read."""
    return claim == UNDEFINED_READ or claim.startswith((STAYS, READS))
