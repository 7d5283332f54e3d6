"""Facts of finite sets and sequences that an obligation may need. They are true and need no proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, islice, permutations, product

from verifier.parametric import extremal
from verifier.parametric.assumed import polynomial_node
from verifier.parametric.clausal import Clause, Clausifier
from verifier.parametric.counting import are_comparable, bounds, common, difference, extremes, some
from verifier.parametric.dividing import PRODUCT
from verifier.parametric.instances import ground_terms
from verifier.parametric.nodes import INT, Node, walk
from verifier.parametric.roles import Roles
from verifier.parametric.smtlib import Printer
from verifier.parametric.sort_nodes import Values
from verifier.parametric.subsequences import pigeonholes
from verifier.parametric.summing import (
    are_of_one_sort,
    find_summed,
    say_difference,
    say_difference_at,
    say_signs,
    say_single,
    say_union,
)
from verifier.parametric.term_reader import Definitions
from verifier.parametric.totals import above, total

_OF_ONE = ("bounds", "extremes")
"""The facts about one count."""


@dataclass(frozen=True)
class Facts:
    """Makes facts, each once."""

    values: Values
    definitions: Definitions
    clausifier: Clausifier
    printer: Printer
    _known: dict[tuple[str, tuple[Node, ...]], tuple[Clause, ...]] = field(default_factory=dict)

    def about(self, goal: Sequence[Node], others: Sequence[Node], *, extremes: bool) -> tuple[Clause, ...]:
        """Return the facts about lengths in the goal, counts in all formulas, and pairs of counts with one in
        the goal."""
        sums = self.about_sums(goal, others)
        if not self.definitions.counts and not self.values.sequences:
            return sums
        asked = self.counts(goal)
        numbers = asked | self.counts(others)
        facts = [self._clauses("pigeonholes", (length,)) for length in self.lengths(goal)]
        facts += [self._clauses("bounds", (number,)) for number in numbers]
        if extremes:
            facts += [self._clauses("extremes", (number,)) for number in numbers]
        pairs = (pair for pair in permutations(numbers, 2) if not asked.keys().isdisjoint(pair))
        return (*sums, *chain(*facts, *(self._clauses("difference", pair) for pair in pairs)))

    def about_sums(self, goal: Sequence[Node], others: Sequence[Node]) -> tuple[Clause, ...]:
        """Return the facts about sums in formulas: each by itself, pairs and unions of sums of like
        summands."""
        if not self.definitions.sums:
            return ()
        numbers = list(self.sums(goal) | self.sums(others))
        facts = [self._clauses("of one sum", (number,)) for number in numbers]
        facts += [
            self._clauses("change", pair) for pair in combinations(numbers, 2) if self._are_alike(*pair)
        ]
        for whole in numbers:
            parts = [one for one in numbers if one is not whole and self._are_alike(one, whole)]
            facts += [self._clauses("union", (whole, *pair)) for pair in combinations(parts, 2)]
        return tuple(chain(*facts))

    def _are_alike(self, one: Node, other: Node) -> bool:
        """True if two sums are over one sort, and their summands share a function of the value."""
        mine, theirs = (self.definitions.sums[number.data] for number in (one, other))
        return are_of_one_sort(mine, theirs) and not find_summed(mine).isdisjoint(find_summed(theirs))

    def sums(self, formulas: Iterable[Node]) -> dict[Node, None]:
        """Return the sums in formulas."""
        return self.choose_sums(ground_terms(formulas))

    def choose_sums(self, terms: Iterable[Node]) -> dict[Node, None]:
        """Return the sums among terms."""
        return dict.fromkeys(node for node in terms if node.data in self.definitions.sums)

    def meeting(self, goal: Sequence[Node], others: Sequence[Node], most: int) -> Iterator[Clause]:
        """Yield the facts about counts in formulas without variables, at most this number of each form. They
        concern counts with a lower or an upper bound; one of a pair must occur in the goal, if the goal has
        any. Two counts with lower bounds share a value if their sum exceeds one with an upper bound, or the
        number of all values."""
        roles, wanted = self._roles(goal, others)
        pairs = product(roles.low, roles.high)
        own = (pair for pair in pairs if pair[0] is not pair[1] and not wanted.keys().isdisjoint(pair))
        forms = (
            (chain(self._clauses("bounds", (one,)), self._clauses("extremes", (one,))) for one in roles.all),
            (self._clauses("difference", pair) for pair in own),
            self._common(roles),
        )
        for facts in forms:
            yield from islice(chain.from_iterable(facts), most)

    def _common(self, roles: Roles) -> Iterator[tuple[Clause, ...]]:
        for one, other in combinations(roles.low, 2):
            yield self._clauses("common", (one, other))
            for whole in roles.high:
                if whole is not one and whole is not other:
                    yield self._clauses("common", (one, other, whole))

    def about_sets(self, goal: Sequence[Node], most: int) -> Iterator[Clause]:
        """Yield the facts without variables that counts are not negative, that what has a lower bound is not
        empty, and that two of these share a value if they do not fit into a third; at most this number."""
        roles, _ = self._roles(goal, ())
        facts = chain(
            *(self._clauses("bounds", (one,)) for one in roles.all),
            *(self._clauses("some", (one,)) for one in roles.low),
            chain.from_iterable(self._common(roles)),
        )
        yield from islice((clause for clause in facts if not clause.variables), most)

    def _roles(self, goal: Sequence[Node], others: Sequence[Node]) -> tuple[Roles, Mapping[Node, None]]:
        """Return the bounds on counts in the formulas, and the wanted counts. The wanted counts are those in
        the goal, or all if the goal has none."""
        known = self.definitions.counts
        asked, roles = Roles(known), Roles(known)
        for node in goal:
            asked.learn(node)
        for node in (*goal, *others):
            roles.learn(node)
        return roles, (asked if asked.low or asked.high else roles).all

    def totals(self, goal: Sequence[Node], others: Sequence[Node]) -> tuple[Clause, ...]:
        """Return the facts about sums: of each count in the goal that exists for every element of an index
        set. Sums are compared with the products in the other formulas. The number of elements whose count
        exceeds a factor is a count of its own. It is compared with the counts in the other formulas. The
        mentioned elements are counted too."""
        families = [name for name in self._symbols(goal) if self._elements(name) is not None]
        if not families:
            return ()
        known = self._symbols(others)
        numbers = [self._apply(name) for name in known if not self.definitions.counts[name].outside]
        facts = [self._clauses(what, (one,)) for one in numbers for what in ("bounds", "extremes")]
        for name in families:
            mine = []
            for factor in self._factors(others):
                level = self._apply(self._level(name, factor))
                one_of = self._clauses("some", (level,))
                mine += [self._clauses("total", (self._apply(name), factor)), one_of]
                mine.append(self._clauses("bounds", (level,)))
                of_elements = [other for other in known if self._sorts(other) == self._sorts(name)]
                for element in self._find_named_elements(one_of, self._sorts(name)[0]):
                    at = (self._apply(other, element) for other in of_elements)
                    mine += [self._clauses("difference", (level, number)) for number in at]
            spoken = (clause for clauses in mine for clause in clauses)
            for element in self._find_named_elements(spoken, self._sorts(name)[0]):
                mine.append(self._clauses("some", (self._apply(name, element),)))
            facts += mine
        return tuple(chain(*facts))

    def _symbols(self, formulas: Iterable[Node]) -> list[str]:
        """Return the symbols of counts, even if they are applied to variables."""
        names = dict.fromkeys(node.data for node in _applications(formulas))
        return [name for name in names if name in self.definitions.counts]

    def _factors(self, formulas: Iterable[Node]) -> list[Node]:
        """Return 0 and the factors of unknown numbers in the formulas."""
        products = [node for node in _applications(formulas) if node.data == PRODUCT and not node.free]
        return list(dict.fromkeys((self.clausifier.logic.integer(0), *(node.args[1] for node in products))))

    def _apply(self, symbol: str, *args: Node) -> Node:
        return self.clausifier.logic.app(symbol, INT, args or self.definitions.counts[symbol].outside)

    def _sorts(self, symbol: str) -> list[str]:
        return [variable.sort for variable in self.definitions.counts[symbol].outside]

    def _elements(self, symbol: str) -> Node | None:
        """Return the number of elements, if there is a count for each element of an index set."""
        sorts = self._sorts(symbol)
        if len(sorts) != 1 or sorts[0] not in self.values.index_sets:
            return None
        return polynomial_node(self.clausifier.logic, self.values.index_sets[sorts[0]])

    def _level(self, symbol: str, number: Node) -> str:
        """Return the symbol for the number of elements whose count is greater than the number."""
        level, elements = f"{symbol} above {self.printer.text(number)}", self._elements(symbol)
        assert elements is not None
        if level not in self.definitions.counts:
            counting = self.definitions.counts[symbol]
            made = above(self.clausifier.logic, counting, symbol, number, elements)
            self.definitions.counts[level] = made
        return level

    @staticmethod
    def _find_named_elements(clauses: Iterable[Clause], sort: str) -> list[Node]:
        """Return the elements that clauses mention."""
        return [node for node in ground_terms(clause.body for clause in clauses) if node.sort == sort]

    def nearest(
        self, goal: Sequence[Node], others: Sequence[Node], own: Sequence[Node]
    ) -> Iterator[Clause]:
        """Yield the facts of ``meeting``, each once, the most relevant first. Facts about counts in the goal
        itself, without its definitions, come first; then those with the fewest arguments."""
        roles, wanted = self._roles(goal, others)
        mentioned = self.counts(own)
        groups: list[tuple[str, tuple[Node, ...]]] = [
            ("difference", (one, other))
            for one, other in product(roles.low, roles.high)
            if one is not other and (one in wanted or other in wanted)
        ]
        for one, other in combinations(roles.low, 2):
            groups.append(("common", (one, other)))
            groups += [("common", (one, other, whole)) for whole in roles.high if whole not in (one, other)]
        groups.sort(key=lambda group: (mentioned.keys().isdisjoint(group[1]), *_arguments(group[1])))
        wanted_facts = (
            fact
            for what, numbers in groups
            for fact in (*((of_one, (one,)) for of_one in _OF_ONE for one in numbers), (what, numbers))
        )
        rest = ((of_one, (one,)) for one in roles.all for of_one in _OF_ONE)
        facts = (self._clauses(what, numbers) for what, numbers in chain(wanted_facts, rest))
        yield from _each_once(chain.from_iterable(facts))

    def extreme(self, goal: Sequence[Node], others: Sequence[Node]) -> Iterator[Clause]:
        """Yield the facts about least and greatest elements in formulas without variables. For each pair
        with one in the goal, or any pair if the goal has none, a fact says whether one bounds the other.
        Those with the fewest arguments come first."""
        asked, extremes = (self._extremes_with_counted(formulas) for formulas in (goal, (*goal, *others)))
        pairs = [pair for pair in permutations(extremes, 2) if not asked or not asked.keys().isdisjoint(pair)]
        about = (
            self._clauses(what, ends)
            for pair in sorted(pairs, key=_arguments)
            for what, ends in (("element", pair[:1]), ("element", pair[1:]), ("bound", pair))
        )
        rest = (self._clauses("element", (number,)) for number in extremes)
        yield from _each_once(chain.from_iterable(chain(about, rest)))

    def _extremes_with_counted(self, formulas: Sequence[Node]) -> dict[Node, None]:
        """Return the least and greatest elements in formulas, including those in formulas that are
        counted."""
        return self.extremes(formulas) | self.extremes(map(self._inside, self.counts(formulas)))

    def extremes(self, formulas: Iterable[Node]) -> dict[Node, None]:
        """Return the least and greatest elements in formulas."""
        known = self.definitions.extremes
        return dict.fromkeys(node for node in ground_terms(formulas) if node.data in known)

    def _inside(self, number: Node) -> Node:
        """Return the formula that a count, applied to terms, counts."""
        counting = self.definitions.counts[number.data]
        values = dict(zip(counting.outside, number.args, strict=True))
        return self.clausifier.logic.substitute(counting.inside, values)

    def counts(self, formulas: Iterable[Node]) -> dict[Node, None]:
        """Return the counts in formulas."""
        return self.choose_counts(ground_terms(formulas))

    def choose_counts(self, terms: Iterable[Node]) -> dict[Node, None]:
        """Return the counts among terms."""
        return dict.fromkeys(node for node in terms if node.data in self.definitions.counts)

    def lengths(self, formulas: Iterable[Node]) -> list[Node]:
        """Return the lengths of sequences of elements of index sets in formulas."""
        return [node for node in ground_terms(formulas) if node.data in self.values.sequences]

    def _clauses(self, what: str, numbers: tuple[Node, ...]) -> tuple[Clause, ...]:
        known = self._known.get((what, numbers))
        if known is None:
            name = f"{what} {' '.join(map(self.printer.text, numbers))}"
            said = enumerate(self._state_fact(what, numbers))
            clauses = (self.clausifier.clauses(one, f"{name} {place}") for place, one in said)
            known = self._known[what, numbers] = tuple(chain.from_iterable(clauses))
        return known

    def _state_fact(self, what: str, numbers: tuple[Node, ...]) -> Iterator[Node]:
        logic = self.clausifier.logic
        if what == "pigeonholes":
            yield from pigeonholes(logic, self.values.sequences[numbers[0].data], numbers[0])
            return
        if what == "total":
            symbol, factor = numbers[0].data, numbers[1]
            elements, level = self._elements(symbol), self._apply(self._level(symbol, factor))
            assert elements is not None
            yield from total(logic, self.definitions.counts[symbol], symbol, factor, level, elements)
            return
        if what in ("element", "bound"):
            extreme = self.definitions.extremes[numbers[0].data]
            if what == "element":
                yield from extremal.is_element(logic, extreme, numbers[0])
            else:
                yield extremal.bounds(logic, extreme, numbers[0], numbers[1])
            return
        if what in ("of one sum", "change", "union"):
            yield from self._state_fact_of_sums(what, numbers)
            return
        counted = [self.definitions.counts[number.data] for number in numbers]
        if what == "bounds":
            yield from bounds(logic, counted[0], numbers[0])
        elif what == "extremes":
            yield from extremes(logic, counted[0], numbers[0])
        elif what == "some":
            yield some(logic, counted[0], numbers[0])
        elif what == "common":
            if all(are_comparable(counted[0], other) for other in counted[1:]):
                yield from common(logic, counted, numbers)
        elif are_comparable(*counted):
            yield difference(logic, (counted[0], counted[1]), (numbers[0], numbers[1]))

    def _state_fact_of_sums(self, what: str, numbers: tuple[Node, ...]) -> Iterator[Node]:
        logic, summing = self.clausifier.logic, [self.definitions.sums[number.data] for number in numbers]
        if what == "of one sum":
            yield from say_signs(logic, summing[0], numbers[0])
            yield say_single(logic, summing[0], numbers[0])
        elif what == "change":
            yield say_difference(logic, summing, numbers)
            yield from say_difference_at(logic, summing, numbers)
        else:
            yield say_union(logic, summing, numbers)


def _each_once(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Yield different clauses as they come: few of them are made where few are taken."""
    seen: set[Clause] = set()
    for clause in clauses:
        if clause not in seen:
            seen.add(clause)
            yield clause


def _applications(formulas: Iterable[Node]) -> list[Node]:
    applications = dict[Node, None]()
    seen = set[Node]()

    def see(node: Node) -> None:
        if node.kind == "app":
            applications[node] = None

    for one in formulas:
        walk(one, see, seen)
    return list(applications)


def _arguments(numbers: Sequence[Node]) -> tuple[int, int]:
    """Return the numbers of distinct arguments of applications: those with arguments of their own, and
    all."""
    arguments = {arg for number in numbers for arg in number.args}
    return sum(1 for arg in arguments if arg.args), len(arguments)
