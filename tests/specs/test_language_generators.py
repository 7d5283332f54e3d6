"""Random generators mean to a quantifier what they mean to Python, or are refused."""

from __future__ import annotations

import itertools
import random
from typing import Any

from verifier import Boolean, Function, IndexSet, Set, State, exists, forall
from verifier.encodings.plain_terms import Map, Reader
from verifier.encodings.printing import text


def _condition(dice: random.Random, names: str, depth: int) -> str:
    """A condition as authors of Python write them, on formulas about the variables."""
    if depth == 0 or dice.random() < 0.2:
        return f"{dice.choice('PQ')}[{dice.choice(names)}]"
    one, other, third = (_condition(dice, names, depth - 1) for _ in range(3))
    return dice.choice(
        (
            f"({one} & {other})", f"({one} | {other})", f"({one} == {other})", f"({one} != {other})",
            f"({one} & {other})", f"({one} | {other})",
            f"({one} and {other})", f"({one} or {other})", f"(not {one})", f"({one} if {other} else {third})",
            f"bool({one})", f"all([{one}, {other}])", f"any([{one}, {other}])", f"[{one}]", "True", "False",
            f"(({one}, True) != ({other}, False))", f"(({one}, 1) == ({other}, 1))", f"[{one}][0]",
            f"({one} == {other} == {third})", f"({one} in ({other}, {third}))", f"(lambda: {one})()",
        )
    )  # fmt: skip


def _generator(dice: random.Random) -> str:
    """A generator with loops, conditions and an element, most of them sound."""
    loops, names = "", ""
    for name in dice.choice(("n", "n", "nm", "nmk")):
        domain = dice.choice(("N", "N", "N", "S", "S", f"[{names[-1:] or 'one'}]", "list(N)", "iter(N)"))
        names += name
        condition = f" if {_condition(dice, names, dice.choice((1, 1, 2)))}" if dice.random() < 0.6 else ""
        loops += f" for {name} in {domain}{condition}"
    return f"{_condition(dice, names, 1)}{loops}"


def test_a_generator_that_is_read_means_what_python_means() -> None:
    """Python itself says what each generator means, with truth values in place of formulas."""
    dice, nodes = random.Random(1), IndexSet("node", 2)
    state: Any = State(p=Function(nodes, Boolean()), q=Function(nodes, Boolean()), x=Set(nodes), one=nodes)
    p, q, x, one = state.symbols
    symbolic = {"P": state.p, "Q": state.q, "S": state.x, "one": state.one, "N": nodes}
    elements = list(nodes.values())
    concrete = [
        (
            dict(zip(elements, bits[:2], strict=True)),
            dict(zip(elements, bits[2:4], strict=True)),
            chosen,
            first,
        )
        for bits in itertools.product((False, True), repeat=4)
        for chosen in itertools.chain.from_iterable(itertools.combinations(elements, k) for k in (0, 1, 2))
        for first in elements
    ]
    accepted = 0
    for _ in range(300):
        written = _generator(dice)
        (name, quantifier), python = dice.choice(((("forall", forall), "all"), (("exists", exists), "any")))
        try:
            formula = eval(f"{name}({written})", {**symbolic, name: quantifier})
        except TypeError:  # SortError is one; Python itself raises others
            continue
        accepted += 1
        meaning = Reader()(formula.term)
        for first, second, chosen, single in concrete:
            names = {"P": first, "Q": second, "S": chosen, "one": single, "N": elements}
            expected = eval(f"{python}({written})", names)
            environment = {p: Map(first), q: Map(second), x: frozenset(chosen), one: single}
            assert meaning(environment) == expected, (name, written, text(formula.term))
    assert accepted > 60
