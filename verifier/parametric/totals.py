"""Facts about the sum of counts, one for each element of an index set, without the sum itself."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.parametric.counting import Counting
from verifier.parametric.dividing import product_of
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import INT, Node


def above(logic: Logic, counting: Counting, symbol: str, number: Node, elements: Node) -> Counting:
    """Return the number of elements whose count, which is this symbol, is greater than a number.
    ``elements``: the number of all elements."""
    (element,) = counting.outside
    inside = logic.less(number, logic.app(symbol, INT, (element,)))
    return Counting((), (element,), logic.true, inside, elements)


def total(
    logic: Logic, counting: Counting, symbol: str, number: Node, level: Node, elements: Node
) -> Iterator[Node]:
    """Yield a bound on the number of values from the counts of all elements. It applies if every value is
    counted for some element, and no count exceeds a number by more than one. Then there are at most as many
    values as the number for each element, and one more for each element above it. There are fewer if some
    count is below the number. ``symbol``: the count; ``level``: the number of elements above the number."""
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
