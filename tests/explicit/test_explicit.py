"""Packed states, the table of states, compiled terms, initial states, and renamed states."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
import pytest
from pysmt.environment import get_env
from pysmt.typing import BOOL

from tests.support import explicit as slow
from tests.support.models import build
from tests.support.toys import LockServer, Lottery
from verifier.encodings.bits import TRUE, bit, choice, conjunction, disjunction, equivalence, negation
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.quantifiers import all_of, any_of, arbitrary, exists, forall
from verifier.encodings.renaming import rename_value
from verifier.encodings.sorts import Bag, Function, IndexSet, Option, Range, Record, Sequence, Set, Sort
from verifier.errors import UsageError
from verifier.explicit import initial
from verifier.explicit import table as table_of_states
from verifier.explicit.arrangements import arrangements, walk
from verifier.explicit.compiled import Program
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Moves
from verifier.explicit.orbits import Orbits
from verifier.explicit.packing import lanes, pack_columns, places, to_rows, to_slices, unpack
from verifier.explicit.table import StateTable, hashes_of
from verifier.specs.built_in import BUILT_IN
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
)
from verifier.specs.registry import load
from verifier.system.model import Model


@pytest.mark.parametrize(("count", "bits"), [(1, 1), (63, 64), (64, 65), (65, 63), (1000, 130)])
def test_rows_and_slices_hold_the_same_bits(count: int, bits: int) -> None:
    matrix = np.random.default_rng(0).integers(0, 2, (count, bits)).astype(np.bool_)
    rows = pack_columns(matrix)
    slices = to_slices(rows, bits)
    assert np.array_equal(to_rows(slices, count), rows)
    for state in {0, count // 2, count - 1}:
        assert unpack(rows[state], bits) == matrix[state].tolist()
        lane = np.uint64(state % 64)
        sliced = [bool(slices[b, state // 64] >> lane & np.uint64(1)) for b in range(bits)]
        assert sliced == matrix[state].tolist()


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65])
def test_lanes_are_the_first_states(count: int) -> None:
    assert places(lanes(count)).tolist() == list(range(count))


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("kept", [64, 5])
def test_the_table_is_exact_whatever_the_hashes(
    words: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With hashes of few bits, rows that differ ask for one slot, equal ones among them."""
    mask = np.uint64(((1 << kept) - 1) << (64 - kept))
    monkeypatch.setattr(table_of_states, "hashes_of", lambda rows: hashes_of(rows) & mask)
    rng, table, known = np.random.default_rng(words), StateTable(words), dict[tuple[int, ...], int]()
    for _ in range(20):
        rows = rng.integers(0, 40 if words < 3 else 12, (500, words)).astype(np.uint64)
        expected = []
        for place, row in enumerate(map(tuple, rows.tolist())):
            if row not in known:
                known[row] = len(known)
                expected.append(place)
        assert table.insert(rows, np.arange(500)).tolist() == expected
        assert table.find(rows).tolist() == [known[tuple(row)] for row in rows.tolist()]
    assert [tuple(row) for row in table.rows(0, len(table)).tolist()] == list(known)


def test_the_table_grows_while_it_has_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_of_states, "_FIRST_CAPACITY", 4)
    table = StateTable(1)
    for start in range(0, 3000, 100):
        assert table.growth(100) >= 0
        rows = np.arange(start, start + 100, dtype=np.uint64)[:, np.newaxis]
        assert len(table.insert(rows, np.arange(100) - 1)) == 100
    assert table.growth(1) + table.growth(10_000) > 10_000 * 8
    assert table.find(np.array([[7], [2999]], np.uint64)).tolist() == [7, 2999]
    assert [table.predecessor(state) for state in (0, 1, 100)] == [None, 0, None]


def test_the_first_bits_of_a_hash_depend_on_all_bits_of_a_row() -> None:
    for words, bit_place in product((1, 2, 3), range(64)):
        for word in range(words):
            rows = np.zeros((2, words), np.uint64)
            rows[1, word] = 1 << bit_place
            one, other = hashes_of(rows).tolist()
            assert one >> 40 != other >> 40


def _random_term(rng: random.Random, depth: int) -> Any:
    if depth == 0:
        return rng.choice([bit(f"x{rng.randrange(6)}"), TRUE])
    parts = [_random_term(rng, depth - 1) for _ in range(3)]
    made: list[Callable[[], Any]] = [
        lambda: conjunction(parts),
        lambda: disjunction(parts),
        lambda: negation(parts[0]),
        lambda: equivalence(parts[0], parts[1]),
        lambda: choice(*parts),
    ]
    return rng.choice(made)()


@pytest.mark.parametrize("seed", range(20))
def test_compiled_terms_agree_with_the_evaluator(seed: int) -> None:
    rng = random.Random(seed)
    symbols = [bit(f"x{index}") for index in range(6)]
    terms = [_random_term(rng, 5) for _ in range(10)]
    expected = Evaluator(symbols, terms)
    program, known = Program(symbols[:4]), {symbols[4]: True, symbols[5]: False}
    for term in terms:
        assert get_env().stc.get_type(term) is BOOL  # what is built is not checked
        program.output(program.number(term, program.number_known_variables(known)))
    values = [np.array([state >> index & 1 for state in range(16)], np.bool_) for index in range(4)]
    found = program.compile()(values)
    for state in range(16):
        single = expected.single([*(bool(value[state]) for value in values), True, False])
        assert [bool(output[state]) for output in found] == single


def test_junctions_share_what_they_begin_with_and_keep_what_is_asked_for() -> None:
    a, b, c, d, e = (bit(f"x{index}") for index in range(5))
    both = conjunction((a, b))
    terms = [conjunction((a, b, c)), conjunction((d, b, a)), conjunction((e, conjunction((b, a)), a)), both]
    terms += [disjunction((a, b, c)), disjunction((both, d)), conjunction((both, d, e)), a]
    program = Program([a, b, c, d, e])
    for term in terms:
        program.output(program.number(term))
    compiled = program.compile()
    values = [np.array([state >> index & 1 for state in range(32)], np.bool_) for index in range(5)]
    asked = [value.copy() for value in values]
    found = compiled(values)
    evaluator = Evaluator([a, b, c, d, e], terms)
    for state in range(32):
        single = evaluator.single([bool(value[state]) for value in asked])
        assert [bool(output[state]) for output in found] == single
    assert all(map(np.array_equal, values, asked))  # inputs are only read
    assert compiled.source.count("&") == 5  # a & b, and with it c, d, e, and d and e
    assert compiled.source.count("|") == 3


def _integers(model: Model, rows: Any) -> list[int]:
    bits = len(model.system.bits)
    return sorted(sum(on << place for place, on in enumerate(unpack(row, bits))) for row in rows)


class Anything(Protocol, camel_case=True):
    """Init leaves much open: two sets without common elements, of the same size."""

    things = IndexSetConstant(4, kind="thing")
    extra = IntegerConstant(0)

    def state(self) -> State:
        more = Function(Range(0, self.extra), Range(0, 9))
        return State(left=Set(self.things), right=Set(self.things), more=more)

    def init(self, s: Any) -> Any:
        return all_of(
            forall(self.things, lambda t: ~(s.left.contains(t) & s.right.contains(t))),
            s.left.cardinality == s.right.cardinality,
            exists(self.things, s.left.contains) | (s.more[0] == 3),
        )

    @action()
    def rest(self, s: Any) -> Step:
        return Step(when=[], then={})

    @invariant()
    def fine(self, s: Any) -> Any:
        return s.more[0] >= 0


class Listing(Protocol, camel_case=True):
    """Init lists states, of which two are the same, and leaves a variable open."""

    def state(self) -> State:
        return State(row=Function(Range(0, 9), Range(0, 3)), other=Range(0, 2))

    def init(self, s: Any) -> Any:
        rows = [[number * place % 4 for place in range(10)] for number in (1, 2, 3, 5)]
        listed = any_of(*(all_of(*(s.row[i] == v for i, v in enumerate(row))) for row in rows))
        return listed & arbitrary(s.other)

    @action()
    def rest(self, s: Any) -> Step:
        return Step(when=[], then={})

    @invariant()
    def fine(self, s: Any) -> Any:
        return s.other < 3


def test_initial_states_that_are_listed_are_not_enumerated_by_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(initial, "MOST", 10)
    model = build(Listing())
    found = _integers(model, initial_states(model.system))
    assert len(found) == len(set(found)) == 3 * 3


class ListingParts(Listing):
    """Init lists parts of states, each with more to say than which bits are fixed."""

    def init(self, s: Any) -> Any:
        rows = [([number * place % 4 for place in range(10)], number % 3) for number in (1, 2, 3, 5)]
        return any_of(
            *(
                all_of(*(s.row[i] == v for i, v in enumerate(row)), any_of(s.other == 0, s.other == last))
                for row, last in rows
            )
        )


def test_of_initial_states_that_are_listed_parts_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(initial, "MOST", 10)
    model = build(ListingParts())
    found = _integers(model, initial_states(model.system))
    assert len(found) == len(set(found)) == 3 + 2 + 1


@pytest.mark.parametrize("protocol", [LockServer, Lottery, Anything, *BUILT_IN])
def test_initial_states_are_those_of_the_slow_enumeration(protocol: type[Protocol] | str) -> None:
    model = build((load(protocol) if isinstance(protocol, str) else protocol)())
    assert _integers(model, initial_states(model.system)) == slow.initial_states(model)


def test_too_many_initial_states_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(initial, "MOST", 1000)
    with pytest.raises(UsageError, match="too many initial states to enumerate"):
        initial_states(build(Anything({"extra": 4})).system)


class Everything(Protocol, camel_case=True):
    """A state with every sort in it, among others as keys."""

    nodes = IndexSetConstant(3, kind="node")
    keys = IndexSetConstant(2, kind="key")

    def state(self) -> State:
        pair = Record(node=self.nodes, number=Range(0, 1))
        return State(
            chosen=Option(self.nodes),
            order=Sequence(Option(self.nodes), 2),
            links=Set(Record(a=self.nodes, b=self.keys)),
            table=Function(pair, Option(self.keys)),
            boxed=Option(Record(node=self.nodes, keys=Set(self.keys))),
            bag=Bag(self.nodes, 2),
        )

    def init(self, s: Any) -> Any:
        return s.chosen.is_none & arbitrary(s.order, s.links, s.table, s.boxed, s.bag)

    @action()
    def rest(self, s: Any) -> Step:
        return Step(when=[], then={})

    @invariant()
    def fine(self, s: Any) -> Any:
        return s.chosen.is_none | s.chosen.is_some


def _random_value(rng: random.Random, sort: Sort) -> Any:
    match sort:
        case Option():
            return None if rng.random() < 0.4 else _random_value(rng, sort.inner)
        case Record():
            return FrozenMap([(name, _random_value(rng, part)) for name, part in sort.fields])
        case Function():
            return FrozenMap([(key, _random_value(rng, sort.range)) for key in sort.domain.values()])
        case Set():
            return frozenset(item for item in sort.element.values() if rng.random() < 0.3)
        case Sequence():
            return tuple(_random_value(rng, sort.element) for _ in range(rng.randint(0, sort.capacity)))
    return rng.choice(list(sort.values()))


@pytest.mark.parametrize(("nodes", "few"), [(3, 24), (3, 0), (4, 24)])
def test_orbits_are_those_of_renaming_concrete_values(
    nodes: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all permutations tried, and with elements sorted by their keys."""
    monkeypatch.setattr("verifier.explicit.orbits.FEW_PERMUTATIONS", few)
    model = build(Everything({"nodes": nodes}))
    layout, orbits, rng = model.layout, Orbits(model), random.Random(0)
    assert orbits.size == factorial(nodes) * 2
    some, others = IndexSet("node", nodes), IndexSet("key", 2)
    renamings = [
        {some: dict(zip(some.values(), n, strict=True)), others: dict(zip(others.values(), k, strict=True))}
        for n in permutations(some.values())
        for k in permutations(others.values())
    ]
    for _ in range(20):
        state = {name: _random_value(rng, sort) for name, sort in layout.sorts.items()}
        images = [
            {name: rename_value(sort, state[name], renaming) for name, sort in layout.sorts.items()}
            for renaming in renamings
        ]
        rows = pack_columns(np.array([layout.encode_state(image) for image in images], np.bool_))
        found = {tuple(row) for row in orbits.representatives(rows).tolist()}
        everyone = {tuple(row) for row in rows.tolist()}
        assert len(found) == 1
        assert found <= everyone
        assert set(orbits.sizes(rows).tolist()) == {len(everyone)}


class Links(Protocol, camel_case=True):
    """Nodes about which nothing is known but who points at whom."""

    nodes = IndexSetConstant(5, kind="node")

    def state(self) -> State:
        return State(points=Function(self.nodes, Set(self.nodes)))

    def init(self, s: Any) -> Any:
        return arbitrary(s.points)

    @action()
    def rest(self, s: Any) -> Step:
        return Step(when=[], then={})

    @invariant()
    def fine(self, s: Any) -> Any:
        return forall(self.nodes, lambda node: s.points[node].contains(node))


def test_graphs_have_the_orbits_that_are_known() -> None:
    """A ring, no edge, all edges, and two separate edges: their orbits have 5!/5, 1, 1 and 5!/2 states."""
    model = build(Links())
    rng, layout, orbits = random.Random(1), model.layout, Orbits(model)
    nodes = list(IndexSet("node", 5).values())
    ring = {a: frozenset([b]) for a, b in zip(nodes, [*nodes[1:], nodes[0]], strict=True)}
    lonely: dict[Any, frozenset[Any]] = dict.fromkeys(nodes, frozenset())
    whole = dict.fromkeys(nodes, frozenset(nodes))
    two = {**lonely, nodes[0]: frozenset([nodes[1]]), nodes[2]: frozenset([nodes[3]])}
    known = [(ring, 24), (lonely, 1), (whole, 1), (two, 60)]
    for state, size in known:
        moved: dict[Any, Any] = dict(zip(nodes, rng.sample(nodes, 5), strict=True))
        image = {moved[a]: frozenset(moved[b] for b in bs) for a, bs in state.items()}
        rows = pack_columns(
            np.array([layout.encode_state({"points": FrozenMap(each.items())}) for each in (state, image)])
        )
        assert orbits.sizes(rows).tolist() == [size, size]
        one, other = orbits.representatives(rows).tolist()
        assert one == other


class Ranked(Protocol, camel_case=True):
    """Nodes that may all differ, so that there are orbits of as many states as there are permutations."""

    nodes = IndexSetConstant(20, kind="node")

    def state(self) -> State:
        return State(rank=Function(self.nodes, Range(0, self.nodes.count)), ready=Set(self.nodes))

    def init(self, s: Any) -> Any:
        return forall(self.nodes, lambda node: s.rank[node] == 0) & s.ready.is_empty

    @action(node="nodes")
    def prepare(self, s: Any, node: Any) -> Step:
        return Step(when=[~s.ready.contains(node)], then={s.ready: s.ready.add(node)})

    @invariant()
    def fine(self, s: Any) -> Any:
        return s.ready.cardinality < self.nodes.count


@pytest.mark.parametrize("nodes", [20, 21])
def test_orbits_are_counted_that_have_more_states_than_fit_into_a_word(nodes: int) -> None:
    """20! fits, and 8 of it do not; 21! does not."""
    model = build(Ranked({"nodes": nodes}))
    orbits, elements = Orbits(model), list(IndexSet("node", nodes).values())
    rng = random.Random(3)
    states = [{"rank": rng.sample(range(nodes), nodes), "ready": frozenset(elements[:n])} for n in range(8)]
    for state in states:
        state["rank"] = FrozenMap(zip(elements, state["rank"], strict=True))
    rows = pack_columns(np.array([model.layout.encode_state(state) for state in states], np.bool_))
    assert int(orbits.sizes(rows).sum()) == 8 * factorial(nodes)
    initial_state = pack_columns(np.zeros((1, len(model.system.bits)), np.bool_))
    assert orbits.sizes(initial_state).tolist() == [1]


@pytest.mark.parametrize("blocks", [[], [(0,)], [(0, 0, 0)], [(0, 1, 2), (3, 3, 4)], [(5, 1, 1, 2, 2)]])
def test_a_walk_leads_through_all_arrangements(blocks: list[tuple[int, ...]]) -> None:
    current, seen = [list(block) for block in blocks], [tuple(blocks)]
    for step in walk(blocks):
        block, here = current[step.block], step.position
        block[here], block[here + 1] = block[here + 1], block[here]
        if step.is_new:
            seen.append(tuple(map(tuple, current)))
    assert len(seen) == len(set(seen)) == prod(map(arrangements, blocks))
    assert set(seen) == set(product(*(set(permutations(block)) for block in blocks)))


def test_moves_have_every_value_of_free_parameters() -> None:
    moves = Moves(build(Lottery()))
    assert len(moves.moves) == 7  # every group but the empty one
