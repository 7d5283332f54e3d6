"""Why something good must happen: a ranking, read as a safety property of the model of a temporal property.

What must not be is that a fair execution stays forever in states where the property is missed: of a goal of
its negation (``temporal_reading``), the states within which a loop stays. Of each such state, the *waiting*
states, the ranking claims:

- Some fairness condition helps, and where one helps, a step of it is possible.
- A step to another waiting state does not raise the rank.
- A step of a condition that helps, to another waiting state, lowers the rank.
- A condition that helps still helps after a step to another waiting state, unless the step lowers the rank.

Then no fair execution keeps waiting (Manna and Pnueli 1984, doi:10.1016/0167-6423(84)90003-0). There are
finitely many ranks, and what falls does not come back, so after finitely many steps the rank stays as it is.
From then on a condition that helps goes on to help, its step is possible in every state, and is never taken,
as it would lower the rank. Neither weak nor strong fairness allows that.

Each claim is a formula of one state: what it says of steps is asked of every instance that is enabled there.
So the ranking proves the property if an invariant implies them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pysmt.fnode import FNode

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    negation,
    restrict_formula,
    restrict_formulas,
)
from verifier.encodings.definedness import Definedness
from verifier.encodings.elimination import exists_over
from verifier.encodings.expressions import Value, term_of, wrap
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Lowering
from verifier.encodings.substitution import substitute
from verifier.encodings.terms import Operator, Term
from verifier.specs.definition import PropertyKind
from verifier.specs.ranking import Helpful, RankingArgument
from verifier.specs.temporal import Fairness, Strength
from verifier.system.fairness import Condition, conditions_named
from verifier.system.liveness import LiveModel
from verifier.system.model import Model
from verifier.system.same_steps import changes
from verifier.system.transition_system import Instance, SafetyProperty


class NoRanking(Exception):
    """Raised if no ranking concerns this property and this fairness, with the reason."""


@dataclass(frozen=True, eq=False)
class Claim:
    """One of the claims of a ranking, as a formula of the state."""

    says: str
    formula: FNode
    instance: Instance | None = None
    """The instance of whose steps it speaks."""


def ranking_of(live: LiveModel) -> RankingArgument | None:
    """The ranking that the protocol declares for the property."""
    rankings = (one for one in live.base.definition.rankings if one.property_name == live.property_.name)
    return next(rankings, None)


def is_ranked(live: LiveModel) -> bool:
    """True if a ranking of the property is declared for this fairness."""
    ranking = ranking_of(live)
    return ranking is not None and all(_is_demanded(live, one.condition) for one in ranking.helpful)


def _is_demanded(live: LiveModel, wanted: Fairness) -> bool:
    """True if the chosen fairness includes the wanted one. Strong fairness includes weak fairness."""
    demanded = conditions_named(live.base.definition, live.fairness)
    return any(one in demanded for one in _at_least(wanted))


def _at_least(wanted: Fairness) -> tuple[Fairness, ...]:
    return wanted, replace(wanted, strength=Strength.STRONG)


def ranking_claims(live: LiveModel) -> tuple[Claim, ...]:
    """The ranking's claims about every reachable state. Raises NoRanking."""
    ranking = ranking_of(live)
    if ranking is None:
        raise NoRanking(f"{live.property_.name} has no ranking: mark a method with @ranking")
    return tuple(_RankingFormulas(live, ranking).claims())


def ranking_model(live: LiveModel) -> Model:
    """The model whose property, of the same name, says that all claims of the ranking hold.

    Raises NoRanking."""
    system, name = live.model.system, live.property_.name
    whole = conjunction(claim.formula for claim in ranking_claims(live))
    goal = SafetyProperty(name, PropertyKind.INVARIANT, whole, default=True)
    return replace(live.model, system=replace(system, properties=(*system.implied, goal)), breaking=())


@dataclass(frozen=True, eq=False)
class _Help:
    """A fairness condition, and the states in which it helps."""

    condition: Condition
    when: FNode


class _RankingFormulas:
    def __init__(self, live: LiveModel, ranking: RankingArgument) -> None:
        self.live, self.ranking = live, ranking
        definition, layout = live.base.definition, live.base.layout
        later = Layout({new.name: new.sort for new in definition.successor})
        meaning = {old: layout.lowered[old.name] for old in definition.variables}
        meaning |= {new: later.lowered[new.name] for new in definition.successor}
        self.lowering = Lowering(meaning)
        self.later = dict(zip(layout.bits, later.bits, strict=True))
        variables = (Term(Operator.VARIABLE, new.sort, data=new) for new in definition.successor)
        renamed = dict(zip(definition.variables, variables, strict=True))
        after = [[substitute(one, renamed) for one in measure] for measure in ranking.measures]
        pairs = [list(zip(new, old, strict=True)) for new, old in zip(after, ranking.measures, strict=True)]
        self.falls = self._first_change(pairs, FALSE)
        self.rises = negation(self._first_change(pairs, TRUE))
        self.helps = [one for helpful in ranking.helpful for one in self._helps(helpful)]

    def _first_change(self, measures: Sequence[Sequence[tuple[Term, Term]]], same: FNode) -> FNode:
        """Return the formula that the first changing measure falls, or ``same`` if none changes. Each measure
        is given by the new and the old terms of its integers."""

        def say(one: Value) -> FNode:
            return self.lowering.formula(term_of(one))

        result = same
        for measure in reversed(measures):
            pairs = [(wrap(new), wrap(old)) for new, old in measure]
            none_rises = conjunction(say(new <= old) for new, old in pairs)
            some_falls = disjunction(say(new < old) for new, old in pairs)
            result = conjunction((none_rises, disjunction((some_falls, result))))
        return result

    def _helps(self, helpful: Helpful) -> Iterator[_Help]:
        """The conditions of a family, among those that the chosen fairness demands."""
        wanted = helpful.condition
        if not _is_demanded(self.live, wanted):
            words = f"its ranking needs {wanted}, which the fairness {self.live.fairness} does not demand"
            raise NoRanking(words)
        for condition in self.live.conditions:
            if condition.family not in _at_least(wanted):
                continue
            bindings = dict(zip(helpful.parameters, condition.values, strict=True))
            read = Definedness(self.lowering).of(helpful.when, bindings)
            yield _Help(condition, conjunction((read, self.lowering.formula(helpful.when, bindings))))

    def claims(self) -> Iterator[Claim]:
        """The claims, each goal's after the other's."""
        for goal in self.live.goals:
            waiting = conjunction((goal.stays, self.live.read))
            yield from self._about_states(waiting)
            for number, instance in enumerate(self.live.model.system.instances):
                yield from self._about_steps(waiting, number, instance)

    def _about_states(self, waiting: FNode) -> Iterator[Claim]:
        def claim(says: str, *so: FNode) -> Claim:
            return Claim(says, disjunction((negation(waiting), *so)))

        definedness = Definedness(self.lowering)
        terms = (term for measure in self.ranking.measures for term in measure)
        yield claim("the measures have values", conjunction(map(definedness.of, terms)))
        yield claim("a fairness condition helps", disjunction(one.when for one in self.helps))
        for one in self.helps:
            says = f"where {one.condition.name} helps, such a step is possible"
            yield claim(says, negation(one.when), one.condition.possible)

    def _about_steps(self, waiting: FNode, number: int, instance: Instance) -> Iterator[Claim]:
        after = {new: instance.updates.get(old, old) for old, new in self.later.items()}
        falls, rises = restrict_formulas((self.falls, self.rises), after)
        then = restrict_formula(waiting, instance.updates)
        moves = changes(self.live.base.system.instances[number])
        taken = conjunction((waiting, instance.guard, moves, then))

        def claim(says: str, *fails: FNode) -> Claim:
            failing = exists_over(conjunction((taken, *fails)), instance.inputs)
            return Claim(f"{instance.label} {says}", negation(failing), instance)

        own = [one for one in self.helps if number in one.condition.instances]
        others = [one for one in self.helps if number not in one.condition.instances]
        yield claim("does not raise the rank", rises)
        if own:
            yield claim("lowers the rank where its fairness helps", disjunction(_when(own)), negation(falls))
        ends = restrict_formulas(_when(others), instance.updates)
        ending = [
            conjunction((one.when, negation(end)))
            for one, end in zip(others, ends, strict=True)
            if end is not one.when
        ]
        if ending:
            says = "lowers the rank where it ends that fairness helps"
            yield claim(says, disjunction(ending), negation(falls))


def _when(helps: Sequence[_Help]) -> list[FNode]:
    return [one.when for one in helps]
