"""What is known of the sum of counts, one for each element of an index set, without the sum itself."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.parametric.counting import Counting
from verifier.parametric.dividing import product_of
from verifier.parametric.logic import INT, Logic, Node


def above(logic: Logic, counting: Counting, symbol: str, number: Node, elements: Node) -> Counting:
    """Of how many elements the count, which is this symbol, is greater than a number. ``elements``: how many
    there are."""
    (element,) = counting.outside
    inside = logic.less(number, logic.app(symbol, INT, (element,)))
    return Counting((), (element,), logic.true, inside, elements)


def total(
    logic: Logic, counting: Counting, symbol: str, number: Node, level: Node, elements: Node
) -> Iterator[Node]:
    """If every value is counted for some element, and for no element more than one beyond a number, then
    there are at most so many values as the number for each element, and one more for each that has more than
    the number; and fewer, if some element has fewer than the number.

    ``symbol`` stands for the count, and ``level`` for how many elements have more than the number.
    """
    if counting.size is None:
        return
    (element,), one = counting.outside, logic.integer(1)
    count = logic.app(symbol, INT, (element,))
    nobody = logic.neg(logic.exists((element,), counting.inside))
    uncounted = logic.exists(counting.variables, logic.conj((counting.within, nobody)))
    higher = logic.exists((element,), logic.less(logic.plus(number, one), count))
    most = logic.plus(product_of(logic, elements, number), level)
    lower = logic.exists((element,), logic.less(count, number))
    fewer = logic.less_equal(logic.plus(counting.size, one), most)
    said = logic.conj((logic.less_equal(counting.size, most), logic.implies(lower, fewer)))
    yield logic.disj((uncounted, higher, said))
