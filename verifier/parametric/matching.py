"""Ground instances of hypotheses at the elements of sets that formulas speak of.

A quantifier over a set of records has a variable for each field. All terms for all fields give very many
instances, of which few are about one record. Here the variables that a predicate has as arguments together
get the arguments of one of its ground applications. This only selects instances; each is implied in any case.

Source: Detlefs, Nelson and Saxe 2005, doi:10.1145/1066100.1066102, match terms with those of the goal, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod

from verifier.parametric.clausal import Clause
from verifier.parametric.instances import Kinds, choose_terms
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, Node, walk
from verifier.parametric.term_reader import HOLDS

_LEAST_FIELDS = 4
"""The number of arguments from which a predicate is about an element with several fields."""

Applications = Mapping[str, Sequence[Node]]
"""Ground applications of predicates, by the predicate."""


def has_fields(clauses: Iterable[Clause]) -> bool:
    """True if a clause speaks of all elements of a set with several fields."""
    return any(_find_patterns(clause) for clause in clauses)


def find_applications(formulas: Iterable[Node]) -> dict[str, list[Node]]:
    """Return the ground applications of predicates with several arguments in formulas, each once."""
    known: dict[str, dict[Node, None]] = {}
    seen: set[Node] = set()

    def see(node: Node) -> None:
        if _has_fields(node) and not node.free:
            known.setdefault(node.data, {})[node] = None

    for one in formulas:
        walk(one, see, seen)
    return {name: list(nodes) for name, nodes in known.items()}


def _has_fields(node: Node) -> bool:
    is_predicate = node.kind == "app" and node.sort == BOOL and len(node.args) >= _LEAST_FIELDS
    return is_predicate and not node.data.startswith(HOLDS)  # a definition's arguments are no element


def _find_patterns(clause: Clause) -> list[Node]:
    """Return the applications to variables of the clause, the ones with most variables first."""
    patterns: dict[Node, None] = {}

    def see(node: Node) -> None:
        if _has_fields(node) and not node.free.isdisjoint(clause.variables):
            patterns[node] = None

    walk(clause.body, see)
    return sorted(patterns, key=lambda node: -len(node.free))


def _choose_groups(
    logic: Logic, kinds: Kinds, clause: Clause, terms: Sequence[Node], known: Applications
) -> Iterator[tuple[tuple[Node, ...], list[tuple[Node, ...]]]]:
    """Yield groups of variables, each with the values that they get together."""
    left = list(clause.variables)
    for pattern in _find_patterns(clause):
        places: dict[Node, int] = {}
        for place, arg in enumerate(pattern.args):
            variable = _find_held(arg)
            if variable in left:
                places.setdefault(variable, place)
        if len(places) < 2:
            continue
        values = dict.fromkeys(
            tuple(_find_held(one.args[place]) for place in places.values())
            for one in known.get(pattern.data, ())
        )
        yield tuple(places), list(values)
        left = [variable for variable in left if variable not in places]
    alone = choose_terms(logic, kinds, Clause(tuple(left), clause.body), terms)
    for variable, choices in zip(left, alone, strict=True):
        yield (variable,), [(one,) for one in choices]


def split(logic: Logic, clause: Clause) -> list[Clause]:
    """Return clauses that together say the same, each about fewer variables where that is possible: ``a or (b
    and c)`` becomes two, and a variable whose value a clause tells is replaced by it."""
    for arg in clause.body.args if clause.body.kind == "or" else ():
        groups: dict[frozenset[Node], list[Node]] = {}
        for part in arg.args if arg.kind == "and" else ():
            groups.setdefault(part.free, []).append(part)
        if len(groups) > 1:
            others = [other for other in clause.body.args if other is not arg]
            parts = (logic.disj((*others, logic.conj(group))) for group in groups.values())
            return list(chain.from_iterable(split(logic, Clause(clause.variables, one)) for one in parts))
    closed = logic.forall(clause.variables, clause.body)
    if closed.kind == "forall":
        return [Clause(closed.data.variables, closed.args[0])]
    return [] if closed is logic.true else [Clause((), closed)]


def split_cases(logic: Logic, clause: Clause) -> list[Clause]:
    """Return clauses that together say the same: ``not (a and (b or c)) or d`` becomes two. So a variable
    whose value one of the cases tells is replaced by it."""
    for arg in clause.body.args if clause.body.kind == "or" else ():
        inside = arg.args[0] if arg.kind == "not" else arg
        for part in inside.args if arg.kind == "not" and inside.kind == "and" else ():
            if part.kind != "or" or not any(_tells(case, clause.variables) for case in part.args):
                continue
            others = [other for other in clause.body.args if other is not arg]
            said = [other for other in inside.args if other is not part]
            cases = (logic.disj((*others, logic.neg(logic.conj((*said, case))))) for case in part.args)
            return list(
                chain.from_iterable(
                    split_cases(logic, one)
                    for case in cases
                    for one in split(logic, Clause(clause.variables, case))
                )
            )
    return [clause]


def _tells(case: Node, variables: Sequence[Node]) -> bool:
    """True if a case says which value a variable has."""
    parts = case.args if case.kind == "and" else (case,)
    return any(part.kind == "=" and not {*part.args}.isdisjoint(variables) for part in parts)


def _find_held(arg: Node) -> Node:
    """Return the value of an option that is an argument: where it is none, another value is the argument."""
    if (
        arg.kind == "ite"
        and arg.args[1].kind == "app"
        and not arg.args[1].args
        and not arg.args[2].quantified
    ):
        return arg.args[2]
    return arg


def match(
    logic: Logic, kinds: Kinds, clause: Clause, terms: Sequence[Node], known: Applications, most: int
) -> list[Node]:
    """Return the instances of a clause at known applications, and at terms for its other variables. None of
    them if they are more than ``most``."""
    groups = list(_choose_groups(logic, kinds, clause, terms, known))
    if prod(len(values) for _, values in groups) > most:
        return []
    variables = list(chain.from_iterable(names for names, _ in groups))
    made: dict[Node, None] = {}
    for chosen in product(*(values for _, values in groups)):
        values = dict(zip(variables, chain.from_iterable(chosen), strict=True))
        body = logic.substitute(clause.body, values) if values else clause.body
        if body is not logic.true:
            made[body] = None
    return list(made)


@dataclass(frozen=True)
class Matcher:
    """Makes instances in rounds."""

    logic: Logic
    kinds: Kinds
    unfold: Callable[[Sequence[Node]], Sequence[Node]]
    """Returns formulas and the definitions in them."""

    def match_all(
        self,
        clauses: Sequence[tuple[str, Clause]],
        terms: Sequence[Node],
        said: Sequence[Node],
        rounds: int,
        most: int,
    ) -> list[tuple[str, Node]]:
        """Return the instances of clauses, each with its name, at the applications in formulas. Each round
        takes those in the instances before, too. ``most``: the limit of instances of a clause."""
        made = dict[tuple[str, Node], None]()
        for _ in range(rounds):
            formulas = [*said, *(body for _, body in made)]
            known = find_applications([*formulas, *self.unfold(formulas)])
            for name, clause in clauses:
                bodies = match(self.logic, self.kinds, clause, terms, known, most)
                made |= dict.fromkeys((name, body) for body in bodies)
        return list(made)
