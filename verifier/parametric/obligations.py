"""What has to be shown for a proof by induction, one action and lemma at a time, and with what hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from verifier.parametric.assumed import assumption_node, polynomial_node
from verifier.parametric.clausal import Clause, Clausifier, closed
from verifier.parametric.instances import Kinds, ground_terms, instances, number_of_instances
from verifier.parametric.logic import BOOL, INT, Logic, Node, canonical, walk
from verifier.parametric.results import name_of
from verifier.parametric.sizes import FACTS, Facts
from verifier.parametric.smtlib import Printer
from verifier.parametric.spoken_of import applied, compared, length, predicates, skolem_functions, unfolding
from verifier.parametric.system import ALWAYS, INITIALLY, STAYS, ParametricSystem, Step
from verifier.parametric.traced import Assumption
from verifier.specs.definition import UNDEFINED_READ, PropertyKind

_LONGEST_TERM = 12
"""Terms with more symbols are not instantiated with."""
_MOST_FACTS = 60
"""More facts about numbers of values are not used."""
_MOST_OF_WITNESSES = 3000
"""A clause with more instances at what facts about numbers of values say there is, has none there."""


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

    @property
    def name(self) -> str:
        """No other obligation has this name."""
        return name_of(self.at, self.claim, self.part)


class Quantified(Enum):
    """Which hypotheses a solver is also given with their quantifiers, beside their instances."""

    NONE = "none"
    SPOKEN_OF = "those about what the goal says something of all"
    """A negated goal may say something of all epochs. What is known of epochs is then needed of epochs that
    have no name yet."""
    ALL = "all"


class SizeFacts(Enum):
    """Which facts about numbers of values a solver is given."""

    NONE = "none"
    SPOKEN_OF = "those about the numbers that the goal speaks of"
    ALL = "all, also that two sets that are more than a third one together have an element in common"


@dataclass(frozen=True)
class Effort:
    """How much a solver is given: hypotheses at terms, or as they are."""

    tiers: tuple[int, ...]
    """The sets of terms that are used, the best first."""
    most: int
    """A clause with more instances is instantiated with the next set."""
    quantified: Quantified
    seconds: float
    facts: SizeFacts = SizeFacts.SPOKEN_OF


EFFORTS = (
    Effort((0,), 0, Quantified.NONE, 2.0, SizeFacts.NONE),
    Effort((0,), 0, Quantified.SPOKEN_OF, 1.5),
    Effort((0,), 0, Quantified.ALL, 0.7),
    Effort((1, 0), 500, Quantified.NONE, 2.0),
    Effort((2, 1, 0), 400, Quantified.NONE, 3.0),
    Effort((2, 1, 0), 400, Quantified.SPOKEN_OF, 6.0),
    Effort((0,), 0, Quantified.ALL, 5.0),
    Effort((3, 2, 1, 0), 1000, Quantified.SPOKEN_OF, 10.0),
    Effort((5, 4, 0), 300, Quantified.NONE, 2.0),
    Effort((0,), 0, Quantified.NONE, 2.0),
    Effort((5, 4, 0), 300, Quantified.NONE, 2.0, SizeFacts.ALL),
)
_ORDER = (0, 1, 2, 3, 4, 5, 6, 7, 8)
_ORDER_WITH_SIZES = (0, 9, 8, 10, 1, 2, 5)
"""Where numbers of values are spoken of there are more instances, so that few terms come first."""


class Obligations:
    """The obligations of a system for some properties."""

    def __init__(
        self, system: ParametricSystem, assumptions: Sequence[Assumption], *, with_stays: bool = False
    ) -> None:
        """``with_stays``: with a lemma for each action that it stays within sorts and what has a value."""
        self.with_stays = with_stays
        self.system = system
        self.logic: Logic = system.logic
        self.clausifier = Clausifier(self.logic)
        self.constants = tuple(
            Clause((), assumption_node(self.logic, one)) for one in assumptions
        )
        self.kinds = Kinds()
        self.printer = Printer()

    @property
    def efforts(self) -> tuple[int, ...]:
        """The places of the efforts in the order in which they are made."""
        return _ORDER_WITH_SIZES if self.system.definitions.sizes else _ORDER

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is kept by all actions together: Typed, the type invariants, the lemmas."""
        kinds = self.system.definition.properties
        typed = (prop.name for prop in kinds if prop.kind is PropertyKind.TYPE_INVARIANT)
        always = self.logic.true
        said = [name for name in typed if self.system.formula(name, self.system.before) is not always]
        stays = [f"{STAYS}{step.name}" for step in self.system.steps] if self.with_stays else []
        return (*self.system.typed_names, *said, *self.system.lemmas, *stays)

    def always_needed(self, name: str) -> tuple[str, ...]:
        """What a claim contains beside its formula: that what is read has a value; and a type invariant, that
        all values are of their sorts."""
        is_type = self.system.kind(name) is PropertyKind.TYPE_INVARIANT
        typed = self.system.typed_names if is_type else ()
        return (*typed, UNDEFINED_READ)

    @cached_property
    def hypotheses(self) -> tuple[tuple[str, Clause], ...]:
        """The clauses of all lemmas, each with the lemma's name."""
        found = []
        for name in self.names:
            for part in _conjuncts(self.logic, self.system.formula(name, self.system.before)):
                found += [(name, clause) for clause in self.clausifier.clauses(part, name)]
        return tuple(found)

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
            given = self.clausifier.clauses(step.guard, f"{step.name} guard")
            for name in self.names:
                if self.is_touched(step, name):
                    after = self.system.formula(name, step.after)
                    own, known = step.parameters, self._known(name)
                    yield from self._parts(step.name, name, after, given, own, inductive=True, known=known)

    def is_touched(self, step: Step, name: str) -> bool:
        """Whether a lemma says something else after a step than before."""
        before = self.system.formula(name, self.system.before)
        return canonical(before, ()) != canonical(self.system.formula(name, step.after), ())

    def _known(self, name: str) -> frozenset[str]:
        """The parts of a lemma in the state before a step, as texts. A part that is the same in the state
        after needs no solver."""
        found = self._known_parts.get(name)
        if found is None:
            formula = self.system.formula(name, self.system.before)
            found = frozenset(canonical(part, ()) for part in _conjuncts(self.logic, formula))
            self._known_parts[name] = found
        return found

    @cached_property
    def _known_parts(self) -> dict[str, frozenset[str]]:
        return {}

    def safety(self, name: str) -> Iterator[Obligation]:
        """That the lemmas imply a property."""
        formula = self.system.formula(name, self.system.before)
        yield from self._parts(ALWAYS, name, formula, (), (), inductive=True)

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
        for number, part in enumerate(_conjuncts(self.logic, formula)):
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
            for clause in (*obligation.given, *obligation.goal):
                self.kinds.learn(clause.body)
        for _, clause in self.hypotheses:
            self.kinds.learn(clause.body)
        for axioms in self.system.definitions.axioms.values():
            for axiom in axioms:
                self.kinds.learn(axiom)

    def local(self, obligation: Obligation) -> list[tuple[str, Node]]:
        """What is known of the constants, the guard or the initial states, and the negated goal."""
        clauses = (*self.constants, *obligation.given, *obligation.goal)
        return [("", closed(self.logic, clause, self.leads)) for clause in clauses]

    def chosen(self, obligation: Obligation, effort: Effort) -> list[tuple[str, Node]]:
        """The instances of hypotheses, and hypotheses, that a solver is given, each with its lemma."""
        if not obligation.inductive:
            return []
        known = self._tiers(obligation)
        tiers = [known[number] for number in effort.tiers]
        found: list[tuple[str, Node]] = []
        for name, clause in self.hypotheses:
            found += self._instances(name, clause, tiers, effort.most)
        found += self._of_sizes(obligation, found, tiers[-1], effort)
        found += self._with_quantifiers(obligation, effort.quantified)
        return list(dict.fromkeys(found))

    @cached_property
    def facts(self) -> Facts:
        """What is known of numbers of values."""
        counts = self.system.values.index_sets.items()
        numbers = {sort: polynomial_node(self.logic, count) for sort, count in counts}
        return Facts(self.logic, self.system.definitions.sizes, numbers)

    def _of_sizes(
        self, obligation: Obligation, found: Sequence[tuple[str, Node]], terms: Sequence[Node], effort: Effort
    ) -> list[tuple[str, Node]]:
        """Facts about numbers of values, and the hypotheses about what these say that there is."""
        goal = [clause.body for clause in obligation.goal]
        is_spoken_of = predicates(goal, self.system.definitions.sizes)
        is_all = effort.facts is SizeFacts.ALL and bool(self.system.definitions.sizes)
        if effort.facts is SizeFacts.NONE or not (is_spoken_of or is_all):
            return []
        others = [*(clause.body for clause in obligation.given), *(node for _, node in found)]
        facts = self.facts.of_use(goal, others, terms, meeting=is_all)[:_MOST_FACTS]
        more: dict[Node, None] = {w: None for fact in facts for w in fact.witnesses}
        spoken = ground_terms(fact.said for fact in facts)
        defined = [node for node in spoken if node.data in self.leads]
        more |= dict.fromkeys(node for node in (*defined, *self._meant(defined)) if node not in terms)
        wider = [*terms, *more]
        made: list[tuple[str, Node]] = [(FACTS, fact.said) for fact in facts]
        made += [(FACTS, node) for node in self._unfolded(defined, wider)]
        for name, clause in self.hypotheses:
            if number_of_instances(self.kinds, clause, wider) > _MOST_OF_WITNESSES:
                continue
            for chosen, body in instances(self.logic, self.kinds, clause, wider):
                if not more.keys().isdisjoint(chosen):
                    made.append((name, body))
        return made

    def _with_quantifiers(self, obligation: Obligation, which: Quantified) -> list[tuple[str, Node]]:
        if which is Quantified.NONE:
            return []
        spoken = {self.kinds.of(variable) for clause in obligation.goal for variable in clause.variables}
        found = []
        for name, clause in self.hypotheses:
            kinds = set(map(self.kinds.of, clause.variables))
            is_wanted = which is Quantified.ALL or (name != obligation.claim and not kinds.isdisjoint(spoken))
            if clause.variables and (is_wanted or self._is_about_unnamed(clause, kinds)):
                found.append((name, closed(self.logic, clause, self.leads)))
        return found

    def _is_about_unnamed(self, clause: Clause, kinds: set[Any]) -> bool:
        """Whether a hypothesis is about integers of a kind of which others say that there is one, and says
        itself of none that it is there."""
        return not kinds.isdisjoint(self._unnamed_kinds) and not skolem_functions([clause], self.leads)

    @cached_property
    def _unnamed_kinds(self) -> frozenset[Any]:
        """The kinds of integers of which a hypothesis says that there is one."""
        made = skolem_functions([clause for _, clause in self.hypotheses], {})
        return frozenset(self.kinds.of(node) for node in made if node.sort == INT)

    def _instances(
        self, name: str, clause: Clause, tiers: Sequence[Sequence[Node]], most: int
    ) -> Iterator[tuple[str, Node]]:
        fitting = (t for t in tiers if number_of_instances(self.kinds, clause, t) <= most)
        for _, body in instances(self.logic, self.kinds, clause, next(fitting, tiers[-1])):
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

    def _axioms(self, name: str) -> tuple[Node, ...]:
        known = self._known_axioms.get(name)
        if known is None:
            axioms = self.system.definitions.axioms[name]
            clauses = [c for axiom in axioms for c in self.clausifier.clauses(axiom, name)]
            known = tuple(closed(self.logic, clause, self.leads) for clause in clauses)
            self._known_axioms[name] = known
            for axiom in known:
                self.kinds.learn(axiom)
        return known

    @cached_property
    def _known_axioms(self) -> dict[str, tuple[Node, ...]]:
        return {}

    def _tiers(self, obligation: Obligation) -> list[list[Node]]:
        """Terms to instantiate with, few and then more: those named; with the state's scalars; with those
        that follow from what the goal says of all values; with all that goal and guard speak of; with the
        integers that the state has for elements that are named, and for all that have no argument."""
        goal = [clause.body for clause in obligation.goal]
        spoken = ground_terms([*goal, *(clause.body for clause in obligation.given)])
        elements = (n for n in ground_terms(goal) if n.sort != INT and set(n.args) <= set(obligation.terms))
        defined = (node for node in spoken if node.data in self.leads)
        meant = [term for node in defined for term in (node, *self._meant([node]))]
        named = list(dict.fromkeys((*obligation.terms, *elements, *meant)))
        constants = [node for node in self._state_constants if node not in named]
        derived = self._derived(obligation, named)
        others = [node for node in spoken if length(node) <= _LONGEST_TERM]
        elements_too = named + [node for node in constants if node.sort != INT]
        own = named + self._numbers_of(named)
        wide = elements_too + self._numbers_of(elements_too)
        most = [*named, *constants, *derived, *others]
        tiers = [named, named + constants, named + derived, most, own, wide]
        return [list(dict.fromkeys(tier)) for tier in tiers]

    def _meant(self, defined: Iterable[Node]) -> list[Node]:
        """What the axioms of defined terms say that there is."""
        said = []
        for node in defined:
            for axiom in self._axioms(str(node.data)):
                meant = applied(self.logic, axiom, node)
                if meant is not None and not meant.quantified:
                    said.append(meant)
        return [n for n in ground_terms(said) if n.sort != INT and length(n) <= _LONGEST_TERM]

    def _unfolded(self, defined: Iterable[Node], terms: Sequence[Node]) -> Iterator[Node]:
        """What the axioms of defined terms say of these terms, and of the integers that are in the axioms."""
        for node in defined:
            for axiom in self._axioms(str(node.data)):
                said = applied(self.logic, axiom, node)
                if said is None or said.kind != "forall":
                    continue
                clause = Clause(said.data.variables, said.args[0])
                sums = [term for term in ground_terms([said]) if term.sort == INT]
                items = list(dict.fromkeys((*terms, *sums)))
                if number_of_instances(self.kinds, clause, items) <= _MOST_FACTS:
                    yield from (body for _, body in instances(self.logic, self.kinds, clause, items))

    def _numbers_of(self, named: Sequence[Node]) -> list[Node]:
        """The integers that the state has for named elements, with no other key."""
        elements = [node for node in named if node.sort not in (INT, BOOL)]
        found = dict[Node, None]()
        for function in self._functions_of_elements:
            for element in elements:
                if element.sort == function.args[0].sort:
                    found[self.logic.app(function.data, INT, (element,))] = None
        return list(found)

    @cached_property
    def _functions_of_elements(self) -> list[Node]:
        """Applications of those functions in hypotheses that give an integer for an element."""
        found: dict[Any, Node] = {}

        def see(node: Node) -> None:
            sorts = [arg.sort for arg in node.args] if node.kind == "app" and node.sort == INT else []
            is_of_one = len(sorts) == 1 and sorts[0] != INT
            if is_of_one and node.data not in self.system.definitions.sizes:
                found.setdefault(node.data, node)

        seen = set[Node]()
        for _, clause in self.hypotheses:
            walk(clause.body, see, seen)
        return list(found.values())

    @cached_property
    def _state_constants(self) -> list[Node]:
        """The variables of the state that are scalars, and scalars in them that have no key."""
        bodies = [clause.body for _, clause in self.hypotheses]
        return [node for node in ground_terms(bodies) if node.kind == "app" and not node.args]

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
        unfolded = []
        for node in predicates(said, self.leads):
            for axiom in self._axioms(node.data):
                meant = unfolding(self.logic, axiom, node)
                if meant is not None:
                    unfolded.append(meant)
        found = [*ends, *ground_terms(unfolded)]
        return [n for n in dict.fromkeys(found) if n not in named and length(n) <= _LONGEST_TERM]


def _conjuncts(logic: Logic, formula: Node) -> Iterator[Node]:
    """Parts whose conjunction is the formula."""
    if formula.kind == "and":
        for part in formula.args:
            yield from _conjuncts(logic, part)
    elif formula.kind == "forall":
        for part in _conjuncts(logic, formula.args[0]):
            yield logic.forall(formula.data.variables, part)
    elif formula.kind == "or" and (split := _implied(formula)) is not None:
        others = logic.disj(arg for arg in formula.args if arg is not split)
        for part in _conjuncts(logic, split):
            if part.kind == "forall":
                yield logic.forall(part.data.variables, logic.disj((others, part.args[0])))
            else:
                yield logic.disj((others, part))
    else:
        yield formula


def _implied(formula: Node) -> Node | None:
    """The only part of a disjunction that is, maybe for all of something, a conjunction."""
    found = []
    for arg in formula.args:
        inner = arg
        while inner.kind == "forall":
            inner = inner.args[0]
        if inner.kind == "and":
            found.append(arg)
    return found[0] if len(found) == 1 else None
