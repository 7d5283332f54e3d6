"""How many values satisfy something, as an integer of which little is known: what holds of all finite sets.

A number of values is a function symbol, applied to what the condition depends on. The facts about it, and
about several such numbers, hold of every finite set, so at all constants. Nothing is assumed of a
protocol by them. They do not say all there is to say of numbers of values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from verifier.parametric.logic import BOOL, INT, Bound, Logic, Node, walk

FACTS = "facts about numbers of values"
"""What facts are called where lemmas have names. No lemma has a name with a space."""


@dataclass(frozen=True)
class Size:
    """What a function symbol counts: for values of the variables, the elements for which a formula without
    quantifiers holds."""

    variables: tuple[Node, ...]
    elements: tuple[Node, ...]
    inside: Node

    @property
    def sorts(self) -> tuple[str, ...]:
        """The sorts of what is counted."""
        return tuple(element.sort for element in self.elements)


def abstracted(logic: Logic, node: Node, elements: Sequence[Node]) -> tuple[Node, dict[Node, Node]]:
    """The formula with variables in the place of its largest parts without variables that are no formulas and
    no constants of the protocol, and what each variable stands for. Formulas that differ in such parts only
    become the same, with variables in the order in which they occur."""
    places: dict[Node, Node] = {}
    done: dict[Node, Node] = {}

    def of(one: Node) -> Node:
        if one in done:
            return done[one]
        if one.kind == "var" and one not in elements:
            made = one
        elif _is_part(one):
            made = places.setdefault(one, logic.variable(one.sort))
        elif isinstance(one.data, Bound):
            make = logic.forall if one.kind == "forall" else logic.exists
            made = make(one.data.variables, of(one.args[0]))
        else:
            made = logic.rebuilt(one, [of(arg) for arg in one.args]) if one.args else one
        done[one] = made
        return made

    said = of(node)
    outer = [v for v in occurring(said) if v not in elements]
    terms = {variable: term for term, variable in places.items()}
    return said, {variable: terms.get(variable, variable) for variable in outer}


def _is_part(node: Node) -> bool:
    if node.free or node.sort == BOOL or node.quantified:
        return False
    return (node.kind == "app" and not str(node.data).startswith("constant ")) or node.kind == "ite"


def occurring(node: Node) -> list[Node]:
    """The free variables, in the order of their occurrence."""
    found: dict[Node, None] = {}

    def see(one: Node) -> None:
        if one.kind == "var":
            found.setdefault(one)

    walk(node, see)
    return [variable for variable in found if variable in node.free]


@dataclass(frozen=True)
class Fact:
    """A formula, and the values that it says there are if the numbers are not as it says."""

    said: Node
    witnesses: tuple[Node, ...]


class Facts:
    """Says what holds of several numbers of values. Each fact is an instance of one that holds of all finite
    sets, with Skolem functions for what it says there is."""

    def __init__(self, logic: Logic, sizes: Mapping[str, Size], numbers: Mapping[str, Node]) -> None:
        """``numbers``: how many elements the sort of an index set has."""
        self.logic = logic
        self.sizes = sizes
        self.numbers = numbers

    def inside(self, applied: Node, items: Sequence[Node]) -> Node:
        """The items are among those counted."""
        size = self.sizes[str(applied.data)]
        values = dict(zip(size.variables, applied.args, strict=True))
        values |= dict(zip(size.elements, items, strict=True))
        return self.logic.substituted(size.inside, values)

    def _witness(self, word: str, *applied: Node) -> tuple[Node, ...]:
        names = " ".join(str(one.data) for one in applied)
        args = tuple(arg for one in applied for arg in one.args)
        sorts = self.sizes[str(applied[0].data)].sorts
        return tuple(
            self.logic.app(f"{word} {names}!{place}", sort, args) for place, sort in enumerate(sorts)
        )

    def positive(self, one: Node) -> Fact:
        """If they are not none, there is one; and they are not fewer than none."""
        logic, item = self.logic, self._witness("some of", one)
        none = logic.equal(one, logic.integer(0))
        there = logic.conj((logic.less_equal(logic.integer(1), one), self.inside(one, item)))
        return Fact(logic.disj((none, there)), item)

    def counted(self, one: Node, items: Sequence[Node]) -> Fact:
        """If it is one of them, they are not none."""
        logic = self.logic
        return Fact(logic.implies(self.inside(one, items), logic.less(logic.integer(0), one)), ())

    def not_more(self, one: Node, other: Node) -> Fact:
        """If all of one are among the other, they are not more."""
        logic, item = self.logic, self._witness("only in", one, other)
        differs = logic.conj((self.inside(one, item), logic.neg(self.inside(other, item))))
        return Fact(logic.disj((differs, logic.less_equal(one, other))), item)

    def meet(self, one: Node, other: Node, whole: Node) -> Fact:
        """Two parts of a whole that together are more than the whole have an element in common."""
        logic = self.logic
        common = self._witness("in both", one, other, whole)
        first, second = self._witness("only in", one, whole), self._witness("only in", other, whole)
        return Fact(
            logic.disj(
                (
                    logic.conj((self.inside(one, common), self.inside(other, common))),
                    logic.conj((self.inside(one, first), logic.neg(self.inside(whole, first)))),
                    logic.conj((self.inside(other, second), logic.neg(self.inside(whole, second)))),
                    logic.less_equal(logic.plus(one, other), whole),
                )
            ),
            (*common, *first, *second),
        )

    def not_more_than_all(self, one: Node, number: Node) -> Fact:
        """There are not more than all."""
        return Fact(self.logic.less_equal(one, number), ())

    def meet_in_all(self, one: Node, other: Node, number: Node) -> Fact:
        """Two sets that together are more than all have an element in common."""
        logic, common = self.logic, self._witness("in both", one, other)
        both = logic.conj((self.inside(one, common), self.inside(other, common)))
        return Fact(logic.disj((both, logic.less_equal(logic.plus(one, other), number))), common)

    # Which facts are of use

    def of_use(
        self, goal: Sequence[Node], others: Sequence[Node], terms: Sequence[Node], *, meeting: bool
    ) -> list[Fact]:
        """The facts about numbers in formulas without variables that can matter: that what is said to be at
        least so many is not more than what is said to be at most so many, one of which the goal speaks of if
        it speaks of any; and, if that is asked for, that two of the first kind meet in one of the second."""
        spoken, known = Roles(self.sizes), Roles(self.sizes)
        for node in goal:
            spoken.learn(node)
        for node in (*goal, *others):
            known.learn(node)
        is_wanted = spoken.low.keys() | spoken.high.keys() or known.low.keys() | known.high.keys()
        found = [self.positive(one) for one in known.low]
        found += [
            self.not_more(one, other)
            for one in known.low
            for other in known.high
            if one is not other and self._alike(one, other) and not is_wanted.isdisjoint((one, other))
        ]
        if meeting:
            found += self._meetings(known)
        return found + [
            self.counted(one, (term,))
            for one in known.high
            for term in terms
            if self.sizes[str(one.data)].sorts == (term.sort,)
        ]

    def _meetings(self, known: Roles) -> Iterator[Fact]:
        for place, one in enumerate(known.low):
            number = self._number(one)
            if number is not None:
                yield self.not_more_than_all(one, number)
                for other in list(known.low)[place + 1 :]:
                    if self._alike(one, other):
                        yield self.meet_in_all(one, other, number)
        for whole in known.high:
            parts = [one for one in known.low if one is not whole and self._alike(one, whole)]
            for one, other in combinations_with_replacement(parts, 2):
                if one is not other:
                    yield self.meet(one, other, whole)

    def _number(self, one: Node) -> Node | None:
        """How many elements there are of those that are counted."""
        sorts = self.sizes[str(one.data)].sorts
        return self.numbers.get(sorts[0]) if len(sorts) == 1 else None

    def _alike(self, one: Node, other: Node) -> bool:
        return self.sizes[str(one.data)].sorts == self.sizes[str(other.data)].sorts


class Roles:
    """Which numbers are said to be at least, and which to be at most something."""

    def __init__(self, sizes: Mapping[str, Size]) -> None:
        self._sizes = sizes
        self._seen = set[tuple[Node, int]]()
        self.low: dict[Node, None] = {}
        self.high: dict[Node, None] = {}

    def learn(self, node: Node, sign: int = 1) -> None:
        """Takes notice of a formula that is true (1), false (-1) or may be either (0)."""
        if (node, sign) in self._seen:
            return
        self._seen.add((node, sign))
        match node.kind:
            case "not":
                self.learn(node.args[0], -sign)
            case "<=":
                self._count(node.args[0], -sign)
                self._count(node.args[1], sign)
            case "=" if node.args[0].sort == INT:
                for arg in node.args:
                    self._count(arg, 0)
            case "ite" | "=":
                for arg in node.args:
                    self.learn(arg, 0)
            case "forall" | "exists":
                pass
            case "app":
                for arg in node.args:
                    self._count(arg, 0)
            case _:
                for arg in node.args:
                    self.learn(arg, sign)

    def _count(self, node: Node, sign: int) -> None:
        """An integer that is at least something (1), at most something (-1) or either (0)."""
        if node.free or node.quantified:
            return
        if node.kind == "sum":
            for factor, arg in zip(node.data[0], node.args, strict=True):
                self._count(arg, sign if factor > 0 else -sign)
        elif node.kind == "app" and node.data in self._sizes:
            if sign >= 0:
                self.low.setdefault(node)
            if sign <= 0:
                self.high.setdefault(node)
        else:
            for arg in node.args:
                self.learn(arg, 0) if arg.sort == BOOL else self._count(arg, 0)
