"""Random claims about any state and any step of a small protocol, proved for all constants and looked for a
counterexample at many: also where ranges are empty, bounds negative and index sets have one element.

``python -m tests.support.random_claims FIRST COUNT`` compares as many as you like.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

from tests.support.naive import Naive
from verifier.encodings.plain_terms import Map, Undefined, values_of
from verifier.encodings.sorts import (
    Boolean,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
)
from verifier.parametric.assumed import is_satisfied
from verifier.parametric.deciding import decide
from verifier.parametric.obligation import Obligation
from verifier.parametric.obligations import Obligations
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.results import Shown
from verifier.parametric.system import ParametricSystem
from verifier.solvers.solver_names import load_script_solvers
from verifier.specs.protocol import Protocol, define

HEAD = """
from verifier import *
from verifier.encodings.expressions import integer


class Claimed(Protocol, camel_case=True):
    n = IntegerConstant(2, minimum=0)
    m = IntegerConstant(1, minimum=-1)
    nodes = IndexSetConstant(2)
    small = property(lambda self: Range(0, self.n))
    part = property(lambda self: Record(u=self.small, v=Option(self.nodes)))

    def state(self):
        return State(
            x=self.small, y=Range(-1, self.m), d=self.nodes, o=Option(self.small), p=Set(self.nodes),
            a=Set(self.small), l=Sequence(self.small, self.n + 1), f=Function(self.nodes, self.small),
            g=PartialFunction(self.nodes, self.small), r=self.part,
        )

    def init(self, s):
        return arbitrary(s.x, s.y, s.d, s.o, s.p, s.a, s.l, s.f, s.g, s.r)
"""
VARIABLES = ("x", "y", "d", "o", "p", "a", "l", "f", "g", "r")
CONSTANTS = [
    {"n": n, "m": m, "nodes": nodes} for n, m, nodes in product((0, 1, 2, 3, 5), (-1, 0, 1, 4), (1, 2, 3, 4))
]
RANGES = ("self.small", "Range(-1, self.m)", "Range(self.n, self.m)", "Range(1, self.n)", "Range(-2, 1)")
Choices = list[tuple[float, Callable[[], str]]]


class Claims:
    """Writes random expressions as text."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.bound: dict[str, list[str]] = {"i": [], "e": []}
        self.names = 0

    def one(self, choices: Choices) -> str:
        """One of the choices, by their weights."""
        return self.rng.choices([make for _, make in choices], [weight for weight, _ in choices])[0]()

    def over(self, depth: int, body: Callable[[], str]) -> str:
        """A body for each value of a new variable, which is an integer (i) or an element (e)."""
        kind = self.rng.choice("ie")
        sets = self.numbers if kind == "i" else self.elements
        ranges = RANGES if kind == "i" else ("self.nodes",)
        domain = sets(depth - 1) if depth > 0 and self.rng.random() < 0.4 else self.rng.choice(ranges)
        return self.each(kind, domain, body)

    def each(self, kind: str, domain: str, body: Callable[[], str]) -> str:
        """Return a quantifier over a given domain."""
        self.names += 1
        name = f"{kind}{self.names}"
        self.bound[kind].append(name)
        made = body()
        self.bound[kind].pop()
        return f"({made} for {name} in {domain})"

    def choose(self, what: str, kind: str, domain: str, depth: int) -> str:
        """Return the text of those values of a domain that satisfy a formula."""
        made = self.each(kind, domain, lambda: self.formula(depth - 1))[1:-1]
        body, _, rest = made.rpartition(" for ")
        return f"{what}({rest.split(' ')[0]} for {rest} if {body})"

    def number(self, depth: int) -> str:
        """An integer."""
        rng, less = self.rng, partial(self.number, depth - 1)
        fixed = ("-1", "0", "1", "2", "3", "self.n", "self.m", "self.nodes.size", "s.x", "s.y", "s.r.u")
        choices: Choices = [(6, lambda: rng.choice([*fixed, *self.bound["i"] * 3]))]
        if depth > 0:
            choices += [
                (1, lambda: f"({less()} {rng.choice('+-')} {less()})"),
                (1, lambda: f"(integer({less()}) // {rng.choice(('2', '3', less()))})"),
                (1, lambda: f"(integer({less()}) % {rng.choice(('2', '3', less()))})"),
                (1, lambda: f"{rng.choice(('minimum', 'maximum'))}({less()}, {less()})"),
                (1, lambda: f"s.{rng.choice('fg')}[{self.element(depth - 1)}]"),
                (1, lambda: f"{self.numbers(depth - 1)}.{rng.choice(('minimum', 'maximum', 'cardinality'))}"),
                (1, lambda: f"{self.elements(depth - 1)}.cardinality"),
                (1, lambda: f"count{self.over(depth - 1, lambda: self.formula(depth - 1))}"),
                (1, lambda: f"{self.places(depth - 1)}{rng.choice(('.length', '.last', f'[{less()}]'))}"),
                (1, lambda: f"if_({self.formula(depth - 1)}, integer({less()}), integer({less()}))"),
                (1, lambda: self.choose("choose", "i", rng.choice(RANGES), depth)),
                (0.5, lambda: "s.o.value"),
            ]
        return self.one(choices)

    def element(self, depth: int) -> str:
        """An element of the index set."""
        choices: Choices = [(4, lambda: self.rng.choice(["s.d", *self.bound["e"] * 3]))]
        if depth > 0:
            less = partial(self.element, depth - 1)
            choices += [
                (1, lambda: f"if_({self.formula(depth - 1)}, {less()}, {less()})"),
                (1, lambda: "s.r.v.value"),
            ]
        return self.one(choices)

    def elements(self, depth: int) -> str:
        """A set of elements."""
        choices: Choices = [(3, lambda: "s.p"), (1, lambda: "s.g.domain")]
        if depth > 0:
            less = partial(self.elements, depth - 1)
            choices += [
                (2, lambda: f"({less()} {self.rng.choice('|&-')} {less()})"),
                (1, lambda: f"{less()}.{self.rng.choice(('add', 'remove'))}({self.element(depth - 1)})"),
                (1, lambda: self.choose("comprehension", "e", "self.nodes", depth)),
            ]
        return self.one(choices)

    def numbers(self, depth: int) -> str:
        """A set of integers."""
        choices: Choices = [(3, lambda: "s.a"), (1, lambda: "s.l.elements")]
        if depth > 0:
            less = partial(self.numbers, depth - 1)
            choices += [
                (2, lambda: f"({less()} {self.rng.choice('|&-')} {less()})"),
                (1, lambda: f"image{self.over(depth - 1, lambda: f'integer({self.number(depth - 1)})')}"),
                (1, lambda: self.choose("comprehension", "i", self.rng.choice(RANGES), depth)),
            ]
        return self.one(choices)

    def places(self, depth: int) -> str:
        """A sequence of integers."""
        choices: Choices = [(3, lambda: "s.l")]
        if depth > 0:
            less, number = partial(self.places, depth - 1), partial(self.number, depth - 1)
            choices += [
                (1, lambda: f"{less()}.{self.rng.choice(('append', 'truncate', 'prepend'))}({number()})"),
                (1, lambda: f"{less()}.{self.rng.choice((f'between({number()}, {number()})', 'reversed'))}"),
                (1, lambda: f"({less()} + {less()})"),
                (1, lambda: self.choose("filtered", "i", less(), depth)),
            ]
        return self.one(choices)

    def formula(self, depth: int) -> str:
        """A formula."""
        rng, number = self.rng, partial(self.number, max(0, depth - 1))
        relation = rng.choice(("==", "!=", "<", "<=", ">", ">="))
        choices: Choices = [
            (4, lambda: f"(integer({number()}) {relation} {number()})"),
            (1, lambda: f"({self.element(depth - 1)} {rng.choice(('==', '!='))} {self.element(depth - 1)})"),
            (1, lambda: rng.choice(("s.o.is_none", "s.r.v.is_some", f"s.g.contains({self.element(0)})"))),
        ]
        if depth > 0:
            less = partial(self.formula, depth - 1)
            choices += [
                (2, lambda: f"({less()} {rng.choice('&|')} {less()})"),
                (2, lambda: f"{rng.choice(('', '~'))}{less()}.implies({less()})"),
                (3, lambda: f"{rng.choice(('forall', 'exists'))}{self.over(depth, less)}"),
                (1, lambda: f"{self.elements(depth - 1)}.contains({self.element(depth - 1)})"),
                (1, lambda: f"({self.numbers(depth - 1)} <= {self.numbers(depth - 1)})"),
                (1, lambda: f"({self.elements(depth - 1)} == {self.elements(depth - 1)})"),
                (1, lambda: f"({self.places(depth - 1)} == {self.places(depth - 1)})"),
            ]
        return self.one(choices)

    def law(self) -> str:
        """Return a claim that is often true: for most sets, of most numbers, except where there are few."""
        rng, relation = self.rng, self.rng.choice(("<", "<=", "==", ">="))
        a, b, q = self.elements(1), self.elements(1), self.places(1)
        x, i, j = self.numbers(1), self.number(2), self.number(1)
        constant = rng.choice(("self.n", "self.m", "self.nodes.size"))
        size = rng.choice(("self.n + 1", "self.m + 2", "self.m - self.n + 1", "self.nodes.size"))
        every = self.over(1, lambda: self.formula(1))
        crossing = self.each("i", "Range(self.n, self.m)", lambda: self.formula(1))
        return rng.choice(
            (
                f"(count{every} {relation} {size})",
                f"forall{every}.implies(exists{every})",
                f"((count{every} == 0) == ~exists{every})",
                f"(({a} <= {b}).implies({a}.cardinality {relation} {b}.cardinality))",
                f"(({a}.cardinality + {b}.cardinality {relation} self.nodes.size) | ~({a} & {b}).is_empty)",
                f"({x}.is_empty | ({x}.minimum {relation} {x}.maximum))",
                f"({x}.is_empty | ({x}.maximum - {x}.minimum + 1 >= {x}.cardinality))",
                f"((integer({i}) // 2) * 2 + integer({i}) % 2 {relation} {i})",
                f"(count{crossing} {relation} self.m - self.n + 1)",
                f"({q}.truncate({j}).length {relation} {j})",
                f"({q}.truncate({j}).length >= 0)",
                f"({q}.is_empty | ({q}[{j}] {relation} {q}[{j}]))",
                f"({q}.elements.cardinality {relation} {q}.length)",
                f"(image{self.over(1, lambda: f'integer({self.number(1)})')}.cardinality {relation} {size})",
                f"({self.formula(2)} | (integer({constant}) != {j}))",
            )
        )

    def action(self) -> str:
        """An action with one or two parameters."""
        self.bound = {"i": ["k"], "e": ["c"]}
        values: dict[str, Callable[[], str]] = {
            "x": lambda: self.number(1),
            "y": lambda: self.number(1),
            "o": lambda: self.rng.choice(("None", self.number(1))),
            "d": lambda: self.element(1),
            "p": lambda: self.elements(1),
            "a": lambda: self.numbers(1),
            "l": lambda: self.places(1),
            f"f[{self.element(0)}]": lambda: self.number(1),
            f"g[{self.element(0)}]": lambda: self.number(1),
            "r.v": lambda: self.rng.choice(("None", self.element(1))),
        }
        targets = self.rng.sample(list(values), self.rng.choice((1, 2)))
        then = ", ".join(f"s.{target}: {values[target]()}" for target in targets)
        when = self.formula(1)
        self.bound = {"i": [], "e": []}
        return f"        return Step(when=[{when}], then={{{then}}})\n"


def make_claim(seed: int) -> type[Protocol] | None:
    """Return a protocol with an invariant ``Inv``; None if the text is refused."""
    claims = Claims(random.Random(seed))
    text = f'{HEAD}\n    @action(c="nodes", k="small")\n    def go(self, s, c, k):\n{claims.action()}'
    body = claims.law() if claims.rng.random() < 0.6 else claims.formula(2)
    text += f"\n    @invariant\n    def inv(self, s):\n        return {body}\n"
    members: dict[str, Any] = {"__name__": "random_claims"}
    exec(compile(text, f"<claims {seed}>", "exec"), members)
    kind: type[Protocol] = members["Claimed"]
    try:
        define(kind({}))
    except (ValueError, AttributeError):
        return None
    return kind


def any_value(sort: Sort, rng: random.Random) -> Any:
    """A random value of a sort."""
    match sort:
        case Boolean() | Range() | IndexSet():
            return rng.choice(list(values_of(sort)))
        case Option():
            return None if rng.random() < 0.4 else any_value(sort.inner, rng)
        case Record():
            return Map((name, any_value(part, rng)) for name, part in sort.fields)
        case Function():
            return Map((key, any_value(sort.range, rng)) for key in values_of(sort.domain))
        case PartialFunction():
            keys = [key for key in values_of(sort.domain) if rng.random() < 0.6]
            return Map((key, any_value(sort.range, rng)) for key in keys)
        case Set():
            share = rng.choice((0, 0.3, 0.7, 1))
            return frozenset(value for value in values_of(sort.element) if rng.random() < share)
        case Sequence():
            length = rng.choice((0, sort.capacity, rng.randint(0, sort.capacity)))
            return tuple(any_value(sort.element, rng) for _ in range(length))
    raise AssertionError(f"not needed so far: {sort}")


def failing(kind: type[Protocol], constants: dict[str, Any], rng: random.Random, states: int) -> set[str]:
    """Return the claims that fail in some of this number of random states. They are: the claim holds in any
    state (``always``), the action preserves it (``kept``), the action's reads have values (``read``)."""
    definition = define(kind(constants))
    naive = Naive(definition)
    formula = next(prop.formula for prop in definition.properties if prop.name == "Inv")
    found = set[str]()

    def holds(state: Any) -> bool:
        try:
            return bool(naive.read(formula)(naive.environment(state)))
        except Undefined:
            return False

    for _ in range(states):
        state = tuple(any_value(v.sort, rng) for v in definition.variables)
        if not holds(state):
            found.add("always")
            continue
        happenings = [naive.happening(one, naive.environment(state)) for one in naive.instances]
        found |= {"read"} if any(what.undefined for what in happenings) else set()
        after = {what.state for what in happenings if what.state is not None}
        found |= set() if all(map(holds, after)) else {"kept"}
    return found


def obligations(kind: type[Protocol]) -> Iterator[tuple[str, list[Any], bool]]:
    """Yield for each obligation its assumptions, and whether it is proved if values belong to their sorts."""
    reading = read_for_all(kind, {})
    always = Obligations(ParametricSystem(reading.definition), reading.assumptions)
    kept = Obligations(ParametricSystem(reading.definition), reading.assumptions, kept=("Inv",))
    asked: dict[str, tuple[Obligations, list[Obligation]]] = {
        "always": (always, list(always.safety("Inv"))),
        "kept": (kept, [one for one in kept.consecution() if one.claim == "Inv"]),
        "read": (kept, list(kept.reads())),
    }
    for what, (made, obligations) in asked.items():
        _ = made.premises.hypotheses, made.premises.axioms.leads
        made.premises.learn(obligations)
        shown = all(isinstance(decide(made, one), Shown) for one in obligations)
        yield what, list(reading.assumptions), shown


def compare(seed: int) -> int:
    """Return the number of proved claims. Raises AssertionError if one of them fails in a random state."""
    kind = make_claim(seed)
    if kind is None:
        return 0
    load_script_solvers()
    rng, shown = random.Random(seed), set[str]()
    easily = failing(kind, {}, rng, 20) if rng.random() < 0.8 else set()
    for what, assumptions, is_proved in obligations(kind) if easily != {"always", "kept", "read"} else ():
        if is_proved:
            shown.add(what)
            fitting = [c for c in CONSTANTS if all(is_satisfied(one, c) for one in assumptions)]
            for constants in rng.sample(fitting, min(12, len(fitting))):
                assert what not in failing(kind, constants, rng, 8), (seed, what, constants)
    assert shown.isdisjoint(easily), (seed, shown, easily)
    return len(shown)


def main() -> None:
    """Compares as many as are asked for."""
    first, count = map(int, sys.argv[1:])
    found = sum(compare(seed) for seed in range(first, first + count))
    print(f"{count} protocols: {found} claims are proved, none fails in the states that were looked at")


if __name__ == "__main__":
    main()
