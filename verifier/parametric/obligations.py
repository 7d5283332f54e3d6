"""What has to be shown for a proof by induction, one action and lemma at a time, and with what hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, product
from typing import Any

from verifier.parametric.assumed import assumption_node
from verifier.parametric.clausal import Clause, Clausifier, closed
from verifier.parametric.conjuncts import conjuncts
from verifier.parametric.efforts import Effort, Quantified
from verifier.parametric.facts import Facts
from verifier.parametric.instances import Kinds, ground_terms, instances, number_of_instances
from verifier.parametric.known import Known
from verifier.parametric.logic import BOOL, INT, Logic, Node, canonical, walk
from verifier.parametric.results import name_of
from verifier.parametric.smtlib import Printer
from verifier.parametric.spoken_of import (
    compared,
    length,
    partly_unfolded,
    predicates,
    skolem_functions,
    unfolding,
)
from verifier.parametric.system import ALWAYS, INITIALLY, READS, STAYS, ParametricSystem, Step
from verifier.parametric.traced import Assumption
from verifier.specs.definition import UNDEFINED_READ, PropertyKind

_MOST_INSTANCES = 10_000
"""A clause that has more is left to solvers, with its quantifiers."""
FACT = ""
"""Stands where a hypothesis has the name of its lemma, and is a fact of sets that needs no proof."""
_MOST_UNFOLDED = 100
"""A definition that has more instances at an application is left to solvers."""
_LONGEST_TERM = 12
"""Terms with more symbols are not instantiated with."""


@dataclass(frozen=True)
class Obligation:
    """That a part of a lemma holds after an action if all lemmas hold before; or initially; or that the
    lemmas imply a property."""

    at: str
    """The action, ``initially`` or ``always``."""
    claim: str
    """The lemma or property."""
    part: int
    goal: tuple[Clause, ...]
    """The negation of what is claimed."""
    given: tuple[Clause, ...]
    """The guard of the action, or the formula of the initial states."""
    terms: tuple[Node, ...]
    """What the goal and the action speak of."""
    inductive: bool
    """Whether the lemmas are assumed."""
    known: tuple[Clause, ...] = ()
    """What is assumed beside the lemmas."""

    @property
    def name(self) -> str:
        """No other obligation has this name."""
        return name_of(self.at, self.claim, self.part)


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
        """``kept``: properties that are lemmas, too. ``with_stays``: with a lemma for each action that it
        stays within sorts and what has a value, and for each lemma that what it reads has a value."""
        self.kept = tuple(kept)
        self.with_stays = with_stays
        self.system = system
        self.logic: Logic = system.logic
        self.clausifier = Clausifier(self.logic)
        self.constants = tuple(
            Clause((), assumption_node(self.logic, one)) for one in assumptions
        )
        self.kinds = Kinds()
        self.printer = Printer()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is kept by all actions together: Typed, the type invariants, the lemmas."""
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

    def always_needed(self, name: str) -> tuple[str, ...]:
        """What a claim contains beside its formula: that what is read has a value; and a type invariant, that
        all values are of their sorts."""
        is_type = self.system.kind(name) is PropertyKind.TYPE_INVARIANT
        typed = self.system.typed_names if is_type else ()
        return (*typed, UNDEFINED_READ)

    @cached_property
    def hypotheses(self) -> tuple[tuple[str, Clause], ...]:
        """The clauses of all lemmas, each with the lemma's name."""
        return self._all.hypotheses

    @cached_property
    def _all(self) -> Known:
        found = []
        for name in self.names:
            formula = self.system.formula(name, self.system.before)
            found += [(name, clause) for clause in self.clausifier.clauses(formula, name)]
        return Known(tuple(found))

    def is_hinted(self, obligation: Obligation) -> bool:
        """Whether the author says which lemmas it needs."""
        return obligation.inductive and bool(self._hint(obligation))

    def _hint(self, obligation: Obligation) -> tuple[str, ...]:
        known = self._hints.get(obligation.claim, {})
        return known.get(obligation.at, known.get("", ()))

    def _known(self, obligation: Obligation, *, hinted: bool) -> Known:
        """The hypotheses: all, or those named beside the lemma, itself and that values have their sorts."""
        names = self._hint(obligation)
        if not hinted or not names:
            return self._all
        found = self._hinted.get((obligation.claim, names))
        if found is None:
            found = self._all.only({obligation.claim, *names, *self.system.typed_names})
            self._hinted[obligation.claim, names] = found
        return found

    @cached_property
    def _hints(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return {lemma.name: dict(lemma.using) for lemma in self.system.definition.lemmas}

    @cached_property
    def _hinted(self) -> dict[tuple[str, tuple[str, ...]], Known]:
        return {}

    @cached_property
    def leads(self) -> Mapping[str, tuple[str, ...]]:
        """The predicates of definitions, each with those of the same formula in the state before."""
        definitions = self.system.definitions
        twins = definitions.twins
        return {name: (twins[name],) if name in twins else () for name in definitions.axioms}

    def initiation(self) -> Iterator[Obligation]:
        """That each lemma holds initially."""
        given = self.clausifier.clauses(self.system.init, "init")
        for name in self.names:
            formula = self.system.formula(name, self.system.before)
            yield from self._parts(INITIALLY, name, formula, given, (), inductive=False)

    def consecution(self) -> Iterator[Obligation]:
        """That each action keeps each lemma. A lemma that an action does not touch needs no solver."""
        for step in self.system.steps:
            given = self._guard(step)
            for name in self.names:
                if self.system.is_touched(step, name):
                    after = self.system.formula(name, step.after)
                    own, known = step.parameters, self._same_before(name)
                    yield from self._parts(step.name, name, after, given, own, inductive=True, known=known)

    def _same_before(self, name: str) -> frozenset[str]:
        """The parts of a lemma in the state before a step, as texts. A part that is the same in the state
        after needs no solver."""
        found = self._known_parts.get(name)
        if found is None:
            formula = self.system.formula(name, self.system.before)
            found = frozenset(canonical(part, ()) for part in self._conjuncts(name, formula))
            self._known_parts[name] = found
        return found

    @cached_property
    def _known_parts(self) -> dict[str, frozenset[str]]:
        return {}

    def _conjuncts(self, claim: str, formula: Node) -> Iterator[Node]:
        """Parts of a claim. What is said of reads and assignments has many that are simple: few solvers are
        quicker there than one for each."""
        made = claim == UNDEFINED_READ or claim.startswith((STAYS, READS))
        return conjuncts(self.logic, formula, implied=not made)

    def safety(self, name: str) -> Iterator[Obligation]:
        """That the lemmas imply a property; one of deadlocks, where nothing can happen, part after part."""
        formula = self.system.formula(name, self.system.before)
        found = self._parts(ALWAYS, name, formula, (), (), inductive=True)
        if self.system.kind(name) is not PropertyKind.DEADLOCK_INVARIANT:
            yield from found
            return
        parts, known = list(self._conjuncts(name, formula)), list(self._stuck)
        for one in found:
            yield replace(one, known=tuple(known))
            said = self.clausifier.clauses(parts[one.part], f"{name} {one.part}")
            known += [clause for clause in said if len(clause.variables) <= 1]  # others have many instances

    @cached_property
    def _stuck(self) -> tuple[Clause, ...]:
        clauses = self.clausifier.clauses
        said = (clauses(one, f"stuck {number}") for number, one in enumerate(self.system.stuck()))
        return tuple(chain.from_iterable(said))

    def steps(self, name: str) -> Iterator[Obligation]:
        """That each action satisfies a step invariant where the lemmas hold."""
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
        """That what the actions and the constraint read has a value wherever the lemmas hold, and what the
        formula of the initial states reads, in each state."""
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

    # How a solver is asked

    def learn(self, obligations: Iterable[Obligation]) -> None:
        """Learns from all formulas what integers are used for. Which instances there are depends on it, so
        all of it is learned before an obligation is asked about."""
        for obligation in obligations:
            for clause in (*obligation.given, *obligation.goal, *obligation.known):
                self.kinds.learn(clause.body)
            for clause in self.facts(obligation):
                self.kinds.learn(clause.body)
        for _, clause in self.hypotheses:
            self.kinds.learn(clause.body)
        for name, axioms in self.system.definitions.axioms.items():
            for axiom in (*axioms, *self._axioms(name)):
                self.kinds.learn(axiom)

    def local(self, obligation: Obligation) -> list[tuple[str, Node]]:
        """What is known of the constants, the guard or the initial states, and the negated goal."""
        clauses = (*self.constants, *obligation.given, *obligation.goal)
        return [("", closed(self.logic, clause, self.leads)) for clause in clauses]

    def chosen(self, obligation: Obligation, effort: Effort) -> list[tuple[str, Node]]:
        """The instances of hypotheses, and hypotheses, that a solver is given, each with its lemma."""
        over = self._known(obligation, hinted=effort.hinted)
        facts = [(FACT, clause) for clause in (*self.facts(obligation, over), *obligation.known)]
        if not obligation.inductive and not facts and not effort.meeting:
            return []
        by_number = self._tiers(obligation, over)
        tiers = [by_number[number] for number in effort.tiers]
        found: list[tuple[str, Node]] = []
        for name, clause in (*facts, *(over.hypotheses if obligation.inductive else ())):
            found += self._instances(name, clause, tiers, effort.most)
        if effort.meeting:
            found += self._meeting(obligation, over, effort, found, tiers[-1])
        if obligation.inductive:
            others = facts if obligation.known else []
            found += self._with_quantifiers(obligation, over, effort.quantified, others)
        return list(dict.fromkeys(found))

    def facts(self, obligation: Obligation, over: Known | None = None) -> tuple[Clause, ...]:
        """What is known of the counts and lengths that the obligation and hypotheses speak of."""
        over = over or self._all
        goal = [clause.body for clause in obligation.goal]
        given = [clause.body for clause in obligation.given]
        known = over.counts(self._facts) if obligation.inductive else ()
        extremes = not obligation.inductive or obligation.at == ALWAYS
        found = self._facts.about(goal, (*given, *known), extremes=extremes)
        if obligation.at != ALWAYS:
            return found
        others = [*goal, *(clause.body for clause in obligation.known), *known]
        others += [node for _, node in self.definitions(others)]
        return (*found, *self._facts.totals(goal, others))

    @property
    def has_counts(self) -> bool:
        """Whether anything is counted."""
        return bool(self.system.definitions.counts)

    def _meeting(
        self,
        obligation: Obligation,
        over: Known,
        effort: Effort,
        found: Sequence[tuple[str, Node]],
        terms: Sequence[Node],
    ) -> Iterator[tuple[str, Node]]:
        """Facts of the counts that instances speak of, and hypotheses about the values that these facts say
        there are."""
        goal = [clause.body for clause in obligation.goal]
        others = [*(clause.body for clause in obligation.given), *(node for _, node in found)]
        ends: tuple[Clause, ...] = ()
        if effort.hinted:
            goal += self._defined_in(goal)
            ends = self._facts.extreme(goal, others)[: effort.facts]
            wider = [*terms, *filter(_is_witness, ground_terms(clause.body for clause in ends))]
            said = [node for clause in ends for _, node in self._instances(FACT, clause, [wider], 0)]
            given = [clause.body for clause in obligation.given]
            unfolded = list(dict.fromkeys(self._unfolded_at((*goal, *given, *said), wider)))
            yield from ((FACT, node) for node in unfolded)
            goal += unfolded
            others += said
        made = self._facts.nearest if effort.hinted else self._facts.meeting
        clauses = (*ends, *islice(made(goal, others), effort.facts))
        named = filter(_is_witness, ground_terms(clause.body for clause in clauses))
        more = dict.fromkeys(node for node in named if node not in terms)
        wider = [*terms, *more]
        said = [node for clause in clauses for _, node in self._instances(FACT, clause, [wider], 0)]
        meant = filter(_is_witness, ground_terms(self._unfolded(said)))
        more |= dict.fromkeys(node for node in meant if node not in wider)
        yield from ((FACT, node) for node in said)
        for name, clause in over.hypotheses if obligation.inductive else ():
            count = number_of_instances(self.logic, self.kinds, clause, [*terms, *more])
            if count <= effort.witnesses:
                for chosen, body in instances(self.logic, self.kinds, clause, [*terms, *more]):
                    if not more.keys().isdisjoint(chosen):
                        yield name, body

    @cached_property
    def _facts(self) -> Facts:
        return Facts(self.system.values, self.system.definitions, self.clausifier, self.printer)

    def _with_quantifiers(
        self,
        obligation: Obligation,
        over: Known,
        which: Quantified,
        others: Sequence[tuple[str, Clause]],
    ) -> list[tuple[str, Node]]:
        if which is Quantified.NONE:
            return []
        spoken = {self.kinds.of(variable) for clause in obligation.goal for variable in clause.variables}
        unnamed = over.unnamed_kinds(self.kinds)
        found = []
        for name, clause in (*over.hypotheses, *others):
            kinds = set(map(self.kinds.of, clause.variables))
            is_wanted = which is Quantified.ALL or (name != obligation.claim and not kinds.isdisjoint(spoken))
            if clause.variables and (is_wanted or self._is_about_unnamed(clause, kinds, unnamed)):
                found.append((name, closed(self.logic, clause, self.leads)))
        return found

    def _is_about_unnamed(self, clause: Clause, kinds: set[Any], unnamed: frozenset[Any]) -> bool:
        """Whether a hypothesis is about integers of a kind of which others say that there is one, and says
        itself of none that it is there."""
        return not kinds.isdisjoint(unnamed) and not skolem_functions([clause], self.leads)

    def _instances(
        self, name: str, clause: Clause, tiers: Sequence[Sequence[Node]], most: int
    ) -> Iterator[tuple[str, Node]]:
        fitting = (t for t in tiers if number_of_instances(self.logic, self.kinds, clause, t) <= most)
        terms = next(fitting, tiers[-1])
        if number_of_instances(self.logic, self.kinds, clause, terms) <= _MOST_INSTANCES:
            for _, body in instances(self.logic, self.kinds, clause, terms):
                yield name, body

    def definitions(self, nodes: Iterable[Node]) -> list[tuple[str, Node]]:
        """The axioms of the symbols in formulas, and of those in these axioms."""
        known = self.system.definitions.axioms
        found: dict[str, None] = {}
        seen: set[Node] = set()

        def see(node: Node) -> None:
            if node.kind == "app" and node.data in known:
                found.setdefault(node.data)

        for node in nodes:
            walk(node, see, seen)
        made: list[tuple[str, Node]] = []
        done: set[str] = set()
        while len(done) < len(found):
            for name in [name for name in found if name not in done]:
                done.add(name)
                for node in self._axioms(name):
                    made.append((name, node))
                    walk(node, see, seen)
        return made

    def _defined_in(self, nodes: Iterable[Node]) -> list[Node]:
        """What the definitions of symbols in formulas say."""
        return [node for _, node in self.definitions(nodes)]

    def _axioms(self, name: str) -> tuple[Node, ...]:
        known = self._known_axioms.get(name)
        if known is None:
            axioms = self.system.definitions.axioms[name]
            clauses = [c for axiom in axioms for c in self.clausifier.clauses(axiom, name)]
            known = tuple(closed(self.logic, clause, self.leads) for clause in clauses)
            self._known_axioms[name] = known
        return known

    @cached_property
    def _known_axioms(self) -> dict[str, tuple[Node, ...]]:
        return {}

    def _tiers(self, obligation: Obligation, over: Known) -> list[list[Node]]:
        """Terms to instantiate with, few and then more: those named; with the state's scalars; with those
        that follow from what the goal says of all values; with all that goal and guard speak of; with the
        integers that the state has for elements that are named, and for all that have no argument; those
        named with the values that the guard says there are and sums in the goal; and these with the state's
        scalars."""
        goal = [clause.body for clause in obligation.goal]
        given = [clause.body for clause in obligation.given]
        spoken = ground_terms([*goal, *given])
        if over is not self._all:
            spoken += ground_terms(self._defined_in(spoken))
        elements = (n for n in ground_terms(goal) if n.sort != INT and set(n.args) <= set(obligation.terms))
        defined = (node for node in spoken if node.data in self.leads)
        terms = list(dict.fromkeys((*obligation.terms, *elements, *defined)))
        named = list(dict.fromkeys(self._witnesses(obligation, over, terms)))
        constants = [node for node in over.state_constants if node not in named]
        derived = self._derived(obligation, named)
        others = [node for node in spoken if length(node) <= _LONGEST_TERM]
        most = [*named, *constants, *derived, *others]
        own = named + self._numbers_of(over, named)
        wide = named + [node for node in constants if node.sort != INT]
        wide += self._numbers_of(over, wide)
        there = list(filter(_is_witness, ground_terms(self._unfolded_in_turn(given))))
        there += [node for node in ground_terms(goal) if node.kind == "sum" and length(node) <= _LONGEST_TERM]
        tiers = [named, named + constants, named + derived, most, own, wide]
        tiers += [named + there, named + there + constants]
        return [list(dict.fromkeys(tier)) for tier in tiers]

    def _witnesses(self, obligation: Obligation, over: Known, named: Sequence[Node]) -> Iterator[Node]:
        """Beside these terms the values that facts of counts say there are, also at these terms, and what the
        definitions in them say there is."""
        facts, goal = self.facts(obligation, over), [clause.body for clause in obligation.goal]
        found = list(named)
        if self._facts.counts(goal) or self._facts.lengths(goal):
            found += [node for node in ground_terms(clause.body for clause in facts) if _is_witness(node)]
            parts = product(over.parts_of_one, obligation.terms)
            found += [
                self.logic.app(part.data, part.sort, (term,))
                for part, term in parts
                if self.kinds.of(term) == self.kinds.of(part.args[0])
            ]
        yield from found
        said = [body for clause in facts for _, body in instances(self.logic, self.kinds, clause, found)]
        yield from filter(_is_witness, ground_terms(self._unfolded(said)))

    def _numbers_of(self, over: Known, named: Sequence[Node]) -> list[Node]:
        """The integers that the state has for these elements, with no other key."""
        return [
            self.logic.app(part.data, INT, (element,))
            for part in over.parts_of_one
            if part.sort == INT and part.data not in self.system.definitions.counts
            for element in named
            if element.sort not in (INT, BOOL) and element.sort == part.args[0].sort
        ]

    def _unfolded_in_turn(self, said: Sequence[Node]) -> list[Node]:
        """The formulas, what definitions say of the terms in them, and of the terms in that, and so on."""
        found: dict[Node, None] = {}
        more = list(said)
        while more:
            found |= dict.fromkeys(more)
            more = [node for node in self._unfolded(more) if node not in found]
        return list(found)

    def _unfolded_at(self, said: Iterable[Node], terms: Sequence[Node]) -> Iterator[Node]:
        """What definitions say of terms that formulas apply them to, and of other terms."""
        for node in predicates(said, self.leads):
            for axiom in self._axioms(node.data):
                clause = partly_unfolded(self.logic, axiom, node)
                if clause is None:
                    continue
                if number_of_instances(self.logic, self.kinds, clause, terms) <= _MOST_UNFOLDED:
                    yield from (body for _, body in instances(self.logic, self.kinds, clause, terms))

    def _unfolded(self, said: Iterable[Node]) -> list[Node]:
        """What definitions say of the terms that formulas apply them to."""
        found = []
        for node in predicates(said, self.leads):
            for axiom in self._axioms(node.data):
                applied = unfolding(self.logic, axiom, node)
                if applied is not None:
                    found.append(applied)
        return found

    @cached_property
    def _constant_nodes(self) -> frozenset[Node]:
        return frozenset(node for clause in self.constants for node in ground_terms([clause.body]))

    def _derived(self, obligation: Obligation, named: Sequence[Node]) -> list[Node]:
        """The terms that come in when what the goal says of all values in an interval is said of its ends,
        with the definitions in it."""
        said, ends = [], []
        for clause in obligation.goal:
            if len(clause.variables) == 1 and clause.variables[0].sort == INT:
                ends_of = compared(clause.body, clause.variables[0])
                known = (term for term in ends_of if set(term.args) <= set(named))
                bounds = [term for term in known if term not in self._constant_nodes]
                ends += bounds
                said += [self.logic.substituted(clause.body, {clause.variables[0]: t}) for t in bounds]
        unfolded = self._unfolded(said)
        found = [*ends, *ground_terms(unfolded)]
        return [n for n in dict.fromkeys(found) if n not in named and length(n) <= _LONGEST_TERM]


def _is_witness(node: Node) -> bool:
    """Whether it is a value of which a formula says that there is one."""
    return "!" in str(node.data)
