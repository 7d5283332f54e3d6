"""The premises that a solver gets for an obligation: instances of hypotheses, definitions, facts of finite
sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice, product
from typing import Any

from verifier.parametric.chosen_terms import find_witnesses, say_at_ends
from verifier.parametric.clausal import Clause, Clausifier, close_clause
from verifier.parametric.definition_axioms import DefinitionAxioms
from verifier.parametric.efforts import Effort, Quantified
from verifier.parametric.facts import Facts
from verifier.parametric.instances import (
    Family,
    Kinds,
    choose_terms,
    ground_terms,
    number_of_instances,
)
from verifier.parametric.known import Known
from verifier.parametric.logic import Logic
from verifier.parametric.matching import Matcher, has_fields, split
from verifier.parametric.nodes import BOOL, INT, Node
from verifier.parametric.obligation import Obligation
from verifier.parametric.smtlib import Printer
from verifier.parametric.spoken_of import say_parts
from verifier.parametric.system import ALWAYS, ParametricSystem
from verifier.parametric.terms_in_formulas import (
    collect_skolem_functions,
    count_symbols,
)

_MOST_INSTANCES = 10_000
"""A clause with more instances is given to solvers with its quantifiers."""
FACT = ""
"""The name, instead of a lemma's, of a fact of sets that needs no proof."""
_LONGEST_TERM = 12
"""Clauses are not instantiated at terms with more symbols."""


class Premises:
    """The knowledge about a system, and the selection that a solver gets."""

    def __init__(
        self,
        system: ParametricSystem,
        clausifier: Clausifier,
        constants: Sequence[Clause],
        names: Sequence[str],
    ) -> None:
        """``constants``: the assumptions on them. ``names``: the lemmas."""
        self.system = system
        self.logic: Logic = system.logic
        self.clausifier = clausifier
        self.constants = tuple(constants)
        self.names = tuple(names)
        self.kinds = Kinds()
        self.axioms = DefinitionAxioms(system, clausifier, self.kinds)
        self.printer = Printer()

    @cached_property
    def hypotheses(self) -> tuple[tuple[str, Clause], ...]:
        """Return the clauses of all lemmas, each with the lemma's name."""
        return self._all.hypotheses

    @cached_property
    def _all(self) -> Known:
        hypotheses = []
        for name in self.names:
            formula = self.system.formula(name, self.system.before)
            hypotheses += [(name, clause) for clause in self.clausifier.clauses(formula, name)]
        return Known(tuple(hypotheses))

    def is_hinted(self, obligation: Obligation) -> bool:
        """True if the author names the lemmas that it needs."""
        return obligation.inductive and bool(self._hint(obligation))

    def _hint(self, obligation: Obligation) -> tuple[str, ...]:
        known = self._hints.get(obligation.claim, {})
        return known.get(obligation.at, known.get("", ()))

    def _gather_known(self, obligation: Obligation, effort: Effort) -> Known:
        """Return the hypotheses: all, or a selection. A selection has the named lemmas, the lemma itself and
        that values have their sorts; or these without the named ones."""
        names = () if effort.own else self._hint(obligation)
        if not effort.own and not (effort.hinted and names):
            return self._all
        selection = self._hinted.get((obligation.claim, names))
        if selection is None:
            selection = self._all.only({obligation.claim, *names, *self.system.typed_names})
            self._hinted[obligation.claim, names] = selection
        return selection

    @cached_property
    def _hints(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return {lemma.name: dict(lemma.using) for lemma in self.system.definition.lemmas}

    @cached_property
    def _hinted(self) -> dict[tuple[str, tuple[str, ...]], Known]:
        return {}

    def learn(self, obligations: Iterable[Obligation]) -> None:
        """Learn the use of integers from all formulas. The instances depend on it, so everything is learned
        before the first obligation is decided."""
        for obligation in obligations:
            for clause in (*obligation.given, *obligation.goal, *obligation.known):
                self.kinds.learn(clause.body)
            for clause in self.facts(obligation):
                self.kinds.learn(clause.body)
        for _, clause in self.hypotheses:
            self.kinds.learn(clause.body)
        for name, axioms in self.system.definitions.axioms.items():
            for axiom in (*axioms, *self.axioms.of(name)):
                self.kinds.learn(axiom)

    def local(self, obligation: Obligation) -> list[tuple[str, Node]]:
        """Return the formulas about the constants, the guard or the initial states, and the negated goal."""
        clauses = (*self.constants, *obligation.given, *obligation.goal)
        return [("", close_clause(self.logic, clause, self.axioms.leads)) for clause in clauses]

    def choose_hypotheses(self, obligation: Obligation, effort: Effort) -> list[Family]:
        """Return the hypotheses and instances that a solver may get, each once and with its lemma."""
        return list(dict.fromkeys(self._hypotheses_in_turn(obligation, effort)))

    def _hypotheses_in_turn(self, obligation: Obligation, effort: Effort) -> Iterator[Family]:
        over = self._gather_known(obligation, effort)
        lemmas = over if obligation.inductive else Known(())
        if not effort.tiers:
            yield from self._with_quantifiers(obligation, lemmas, effort.quantified, ())
            yield from (
                Family(name, clause, ()) for name, clause in lemmas.hypotheses if not clause.variables
            )
            return
        if effort.about_sets:
            yield from self._choose_about_sets(obligation, lemmas, effort)
            return
        facts = [(FACT, clause) for clause in (*self.facts(obligation, over), *obligation.known)]
        if not obligation.inductive and not facts and not effort.meeting:
            return
        by_number = self._tiers(obligation, over)
        if effort.matched:
            yield from self._match(obligation, over, effort, by_number[effort.tiers[0]])
            return
        tiers = [by_number[number] for number in effort.tiers]
        hypotheses = []
        for name, clause in (*facts, *lemmas.hypotheses):
            for family in self._instances(name, clause, tiers, effort.most):
                hypotheses.append(family)
                yield family
        if effort.meeting:
            yield from self._meeting(obligation, over, effort, self._say_parts(hypotheses), tiers[-1])
        if obligation.inductive:
            others = facts if obligation.known else []
            yield from self._with_quantifiers(obligation, over, effort.quantified, others)

    def _choose_about_sets(self, obligation: Obligation, over: Known, effort: Effort) -> Iterator[Family]:
        """Yield the lemmas at the named elements, and facts about the counts in the goal with its
        definitions. Solvers get the definitions themselves, so that few facts are needed."""
        goal = [clause.body for clause in obligation.goal]
        unfolded = self.axioms.unfold_in_turn(goal)
        facts = self._facts.about_sets(unfolded, effort.facts)
        yield from (Family(FACT, clause, ()) for clause in facts)
        for name, clause in (*over.hypotheses, *((FACT, clause) for clause in obligation.known)):
            yield from self._instances(name, clause, [obligation.terms], effort.most)

    @property
    def has_sets_in_states(self) -> bool:
        """True if the sets in variables are values themselves (``set_formulas``)."""
        return self.system.values.has_sets_in_states

    @cached_property
    def has_elements_with_fields(self) -> bool:
        """True if a lemma is about all elements of a set that have several fields."""
        return has_fields(clause for _, clause in self.hypotheses)

    def _match(
        self, obligation: Obligation, over: Known, effort: Effort, terms: Sequence[Node]
    ) -> list[Family]:
        """Return the hypotheses at the elements that the obligation speaks of, and those that hypotheses say
        to exist."""
        clauses = [(FACT, clause) for clause in (*self.facts(obligation, over), *obligation.known)]
        clauses += [(name, part) for name, clause in over.hypotheses for part in split(self.logic, clause)]
        ends = say_at_ends(self.logic, obligation.goal, obligation.terms, self._constant_nodes)
        at_ends = list(chain.from_iterable(ends.values()))
        said = [*(clause.body for clause in (*obligation.goal, *obligation.given)), *at_ends]
        matcher = Matcher(self.logic, self.kinds, self.axioms.unfold_in_turn)
        matched = matcher.match_all(clauses, terms, said, effort.matched, effort.most)
        return [Family.of(name, body) for name, body in (*((FACT, node) for node in at_ends), *matched)]

    def facts(self, obligation: Obligation, over: Known | None = None) -> tuple[Clause, ...]:
        """Return the facts about the counts and lengths in the obligation and the hypotheses."""
        over = over or self._all
        goal = [clause.body for clause in obligation.goal]
        given = [clause.body for clause in obligation.given]
        known = over.counts(self._facts) if obligation.inductive else ()
        extremes = not obligation.inductive or obligation.at == ALWAYS
        facts = self._facts.about(goal, (*given, *known), extremes=extremes)
        if obligation.at != ALWAYS:
            return facts
        others = [*goal, *(clause.body for clause in obligation.known), *known]
        others += [node for _, node in self.axioms.list_named(others)]
        return (*facts, *self._facts.totals(goal, others))

    @property
    def has_counts(self) -> bool:
        """True if the system counts anything."""
        return bool(self.system.definitions.counts)

    def _meeting(
        self,
        obligation: Obligation,
        over: Known,
        effort: Effort,
        hypotheses: Sequence[Node],
        terms: Sequence[Node],
    ) -> Iterator[Family]:
        """Yield facts about the counts in instances, and hypotheses instantiated at the witnesses of these
        facts."""
        own = [clause.body for clause in obligation.goal]
        goal = list(own)
        others = [*(clause.body for clause in obligation.given), *hypotheses]
        ends: tuple[Clause, ...] = ()
        if effort.hinted:
            goal += self.axioms.list_all(goal)
            ends = tuple(islice(self._facts.extreme(goal, others), effort.facts))
            wider = [*terms, *filter(_is_witness, ground_terms(clause.body for clause in ends))]
            said = self._say_parts(self._say(ends, wider))
            given = [clause.body for clause in obligation.given]
            unfolded = list(dict.fromkeys(self.axioms.unfold_at((*goal, *given, *said), wider)))
            yield from (Family.of(FACT, node) for node in unfolded)
            goal += unfolded
            others += said
        if effort.hinted:
            counted: Iterable[Clause] = islice(self._facts.nearest(goal, others, own), effort.facts)
        else:
            counted = self._facts.meeting(goal, others, effort.facts)
        clauses = (*counted, *ends)
        named = filter(_is_witness, ground_terms(clause.body for clause in clauses))
        more = dict.fromkeys(node for node in named if node not in terms)
        wider = [*terms, *more]
        facts = list(self._say(clauses, wider))
        unfolded = self.axioms.unfold(say_parts(self.logic, facts, self.axioms.leads))
        meant = filter(_is_witness, ground_terms(unfolded))
        more |= dict.fromkeys(node for node in meant if node not in wider)
        yield from facts
        for name, clause in over.hypotheses if obligation.inductive else ():
            near = dict.fromkeys(self._nearest(clause, terms, list(more), effort))
            if near:
                yield from self._list_families(name, clause, [*terms, *near], frozenset(near))

    def _say(self, clauses: Iterable[Clause], terms: Sequence[Node]) -> Iterator[Family]:
        """Yield the instances of facts at terms."""
        for one in clauses:
            yield from self._instances(FACT, one, [terms], 0)

    def _say_parts(self, families: Iterable[Family]) -> list[Node]:
        """Return what instances say of counts, of least and greatest elements, and of definitions."""
        definitions = self.system.definitions
        names = {*definitions.counts, *definitions.extremes, *self.axioms.leads}
        return say_parts(self.logic, families, names)

    def _nearest(self, clause: Clause, terms: Sequence[Node], more: list[Node], effort: Effort) -> list[Node]:
        """Return the first witnesses that keep the clause within the effort's limit of instances. If all
        lemmas are given, all witnesses are used, or none."""

        def count() -> int:
            return number_of_instances(self.logic, self.kinds, clause, [*terms, *more])

        while more and count() > effort.witnesses:
            more = more[: len(more) // 2] if effort.hinted else []
        return more

    @cached_property
    def _facts(self) -> Facts:
        return Facts(self.system.values, self.system.definitions, self.clausifier, self.printer)

    def _with_quantifiers(
        self,
        obligation: Obligation,
        over: Known,
        which: Quantified,
        others: Sequence[tuple[str, Clause]],
    ) -> list[Family]:
        if which is Quantified.NONE:
            return []
        spoken = {self.kinds.of(variable) for clause in obligation.goal for variable in clause.variables}
        unnamed = over.collect_unnamed_kinds(self.kinds)
        quantified = []
        for name, clause in (*over.hypotheses, *others):
            kinds = set(map(self.kinds.of, clause.variables))
            is_wanted = which is Quantified.ALL or (name != obligation.claim and not kinds.isdisjoint(spoken))
            if clause.variables and (is_wanted or self._is_about_unnamed(clause, kinds, unnamed)):
                quantified.append(Family.of(name, close_clause(self.logic, clause, self.axioms.leads)))
        return quantified

    def _is_about_unnamed(self, clause: Clause, kinds: set[Any], unnamed: frozenset[Any]) -> bool:
        """True if other hypotheses say that integers of its kind exist, and the hypothesis itself says it of
        none."""
        return not kinds.isdisjoint(unnamed) and not collect_skolem_functions([clause], self.axioms.leads)

    def _instances(
        self, name: str, clause: Clause, tiers: Sequence[Sequence[Node]], most: int
    ) -> Iterator[Family]:
        fitting = (t for t in tiers if number_of_instances(self.logic, self.kinds, clause, t) <= most)
        terms = next(fitting, tiers[-1])
        if number_of_instances(self.logic, self.kinds, clause, terms) <= _MOST_INSTANCES:
            yield from self._list_families(name, clause, terms)

    def _list_families(
        self, name: str, clause: Clause, terms: Sequence[Node], near: frozenset[Node] = frozenset()
    ) -> Iterator[Family]:
        """Yield the instances of a clause at terms: one family, or a family for each instance if the clause
        contains quantifiers, which a model does not tell."""
        choices = tuple(map(tuple, choose_terms(self.logic, self.kinds, clause, terms)))
        if near and all(map(near.isdisjoint, choices)):
            return
        family = Family(name, clause, choices, near)
        if clause.body.quantified:
            yield from (Family.of(name, body) for body in family.list_all(self.logic))
        elif all(choices):
            yield family

    def _tiers(self, obligation: Obligation, over: Known) -> list[list[Node]]:
        """Return lists of terms for instances, few first. They are: the named terms; with the state's
        scalars; with terms derived from the goal's claims about all values; with all terms of goal and guard;
        with the state's integers for named elements, and all without argument; the named terms with the
        guard's witnesses and sums of the goal; and these with the state's scalars. Where lemmas are about
        elements with fields, the last list has the named terms and the witnesses of the lemma itself."""
        goal = [clause.body for clause in obligation.goal]
        given = [clause.body for clause in obligation.given]
        spoken = ground_terms([*goal, *given])
        if over is not self._all:
            spoken += ground_terms(self.axioms.list_all(spoken))
        elements = (n for n in ground_terms(goal) if n.sort != INT and set(n.args) <= set(obligation.terms))
        defined = (node for node in spoken if node.data in self.axioms.leads)
        terms = list(dict.fromkeys((*obligation.terms, *elements, *defined)))
        named = list(dict.fromkeys(self._witnesses(obligation, over, terms)))
        constants = [node for node in over.state_constants if node not in named]
        derived = self._derive_terms(obligation, named)
        others = [node for node in spoken if count_symbols(node) <= _LONGEST_TERM]
        most = [*named, *constants, *derived, *others]
        own = named + self._numbers_of(over, named)
        wide = named + [node for node in constants if node.sort != INT]
        wide += self._numbers_of(over, wide)
        there = list(filter(_is_witness, ground_terms(self.axioms.unfold_in_turn(given))))
        there += [
            node for node in ground_terms(goal) if node.kind == "sum" and count_symbols(node) <= _LONGEST_TERM
        ]
        tiers = [named, named + constants, named + derived, most, own, wide]
        tiers += [named + there, named + there + constants]
        if self.has_elements_with_fields:
            lemma = [clause for name, clause in over.hypotheses if name == obligation.claim]
            witnesses = find_witnesses(self.logic, self.kinds, lemma, obligation.terms)
            tiers.append(named + witnesses)
        return [list(dict.fromkeys(tier)) for tier in tiers]

    def _witnesses(self, obligation: Obligation, over: Known, named: Sequence[Node]) -> Iterator[Node]:
        """Yield the witnesses of facts about counts, also at these terms, and the witnesses of definitions in
        them."""
        facts, goal = self.facts(obligation, over), [clause.body for clause in obligation.goal]
        terms = list(named)
        if (
            self._facts.counts(goal)
            or self._facts.lengths(goal)
            or self._facts.sums((*goal, *over.counts(self._facts)))
        ):
            terms += [node for node in ground_terms(clause.body for clause in facts) if _is_witness(node)]
            parts = product(over.parts_of_one, obligation.terms)
            terms += [
                self.logic.app(part.data, part.sort, (term,))
                for part, term in parts
                if self.kinds.of(term) == self.kinds.of(part.args[0])
            ]
        yield from terms
        said = say_parts(self.logic, self._say(facts, terms), self.axioms.leads)
        yield from filter(_is_witness, ground_terms(self.axioms.unfold(said)))

    def _numbers_of(self, over: Known, named: Sequence[Node]) -> list[Node]:
        """Return the integers of the state for these elements, without another key."""
        return [
            self.logic.app(part.data, INT, (element,))
            for part in over.parts_of_one
            if part.sort == INT
            and part.data not in self.system.definitions.counts
            and part.data not in self.system.definitions.sums
            for element in named
            if element.sort not in (INT, BOOL) and element.sort == part.args[0].sort
        ]

    @cached_property
    def _constant_nodes(self) -> frozenset[Node]:
        return frozenset(node for clause in self.constants for node in ground_terms([clause.body]))

    def _derive_terms(self, obligation: Obligation, named: Sequence[Node]) -> list[Node]:
        """Return the terms that appear when the goal's claims about an interval are instantiated at its ends.
        Definitions in these claims are unfolded."""
        at_ends = say_at_ends(self.logic, obligation.goal, named, self._constant_nodes)
        unfolded = self.axioms.unfold(chain.from_iterable(at_ends.values()))
        terms = [*at_ends, *ground_terms(unfolded)]
        return [n for n in dict.fromkeys(terms) if n not in named and count_symbols(n) <= _LONGEST_TERM]


def _is_witness(node: Node) -> bool:
    """True if the term is a witness: a value that a formula says to exist."""
    return "!" in str(node.data)
