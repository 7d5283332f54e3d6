"""Instances of clauses at the elements of sets that formulas speak of, and clauses split into parts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from verifier.parametric.chosen_terms import find_witnesses, say_at_ends
from verifier.parametric.clausal import Clause
from verifier.parametric.deciding import _in_turn
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.instances import Kinds
from verifier.parametric.logic import Logic
from verifier.parametric.matching import find_applications, has_fields, match, split, split_cases
from verifier.parametric.nodes import BOOL, INT, Node
from verifier.parametric.obligation import Obligation
from verifier.parametric.obligations import Obligations

SORT = "sort n"


def _clause(logic: Logic) -> tuple[Clause, list[Node], Node]:
    """Return "for all (a, b, c, d) in sent, and all x: seen(x, a)"."""
    a, b, c, d, x = (logic.variable(SORT) for _ in range(5))
    sent = logic.app("sent", BOOL, (a, b, c, d))
    body = logic.implies(sent, logic.app("seen", BOOL, (x, a)))
    return Clause((a, b, c, d, x), body), [a, b, c, d], x


def test_variables_of_an_element_get_their_values_together() -> None:
    logic = Logic()
    clause, fields, x = _clause(logic)
    one, other = ([logic.app(f"{name}{n}", SORT) for n in range(4)] for name in "pq")
    terms = [logic.app("t", SORT), *one]
    known = find_applications([logic.app("sent", BOOL, one), logic.neg(logic.app("sent", BOOL, other))])
    made = match(logic, Kinds(), clause, terms, known, 100)
    assert len(made) == 2 * len(terms)  # instead of 5 ** 5
    for values in (one, other):
        for term in terms:
            put = {**dict(zip(fields, values, strict=True)), x: term}
            assert logic.substitute(clause.body, put) in made


def test_no_instance_is_made_where_there_are_too_many() -> None:
    logic = Logic()
    clause, _, _ = _clause(logic)
    known = find_applications([logic.app("sent", BOOL, [logic.app(f"p{n}", SORT) for n in range(4)])])
    terms = [logic.app(f"t{n}", SORT) for n in range(11)]
    assert match(logic, Kinds(), clause, terms, known, 10) == []
    assert len(match(logic, Kinds(), clause, terms, known, 11)) == 11


def test_a_predicate_with_few_arguments_or_of_a_definition_is_no_element() -> None:
    logic = Logic()
    x, y = logic.variable(SORT), logic.variable(SORT)
    assert not has_fields([Clause((x, y), logic.app("pair", BOOL, (x, y)))])
    assert not has_fields([Clause((x, y), logic.app("holds 7", BOOL, (x, y, x, y)))])
    assert has_fields([Clause((x, y), logic.app("sent", BOOL, (x, y, x, y)))])


def test_parts_of_a_clause_say_the_same_together() -> None:
    logic = Logic()
    x, y = logic.variable(SORT), logic.variable(SORT)
    p, q = logic.app("p", BOOL, (x,)), logic.app("q", BOOL, (x,))
    r = logic.app("r", BOOL, (x, y))
    parts = split(logic, Clause((x, y), logic.disj((p, logic.conj((q, r))))))
    assert [part.body for part in parts] == [logic.disj((p, q)), logic.disj((p, r))]
    assert [part.variables for part in parts] == [(x,), (x, y)]


def test_a_variable_whose_value_a_clause_tells_is_replaced() -> None:
    logic = Logic()
    x, known = logic.variable(SORT), logic.app("k", SORT)
    told = logic.implies(logic.equal(x, known), logic.app("p", BOOL, (x,)))
    assert split(logic, Clause((x,), told)) == [Clause((), logic.app("p", BOOL, (known,)))]


def test_the_cases_of_a_clause_say_the_same_together() -> None:
    """So an element that an action adds to a set needs no variable."""
    logic = Logic()
    x, added = logic.variable(SORT), logic.app("added", SORT)
    old, kept = logic.app("old", BOOL, (x,)), logic.app("kept", BOOL, (x,))
    is_there = logic.disj((old, logic.equal(x, added)))
    holds = logic.app("holds 7", BOOL)
    body = logic.disj((holds, logic.neg(logic.conj((kept, is_there)))))
    parts = split_cases(logic, Clause((x,), body))
    of_added = logic.neg(logic.app("kept", BOOL, (added,)))
    of_old = logic.neg(logic.conj((kept, old)))
    assert parts == [
        Clause((x,), logic.disj((holds, of_old))),
        Clause((), logic.disj((holds, of_added))),
    ]
    assert split_cases(logic, Clause((x,), of_old)) == [Clause((x,), of_old)]


def test_claims_about_an_interval_are_instantiated_at_its_ends() -> None:
    """``k - 1 <= n`` ends at n + 1, also where n is conditional."""
    logic = Logic()
    k, m, n = logic.variable(INT), logic.app("m", INT), logic.app("n", INT)
    chosen = logic.ite(logic.app("p", BOOL), m, n)
    before = logic.less_equal(logic.plus(k, logic.integer(-1)), chosen)
    claim = logic.implies(before, logic.app("q", BOOL, (k,)))
    at_ends = say_at_ends(logic, [Clause((k,), claim)], [], ())
    one = logic.integer(1)
    ends = [logic.plus(m, one), logic.plus(n, one)]
    assert list(at_ends) == ends
    assert at_ends[ends[0]] == [logic.substitute(claim, {k: ends[0]})]
    assert list(say_at_ends(logic, [Clause((k,), claim)], [], [ends[0]])) == ends[1:]


def test_witnesses_of_a_lemma_are_those_for_the_terms_of_the_goal() -> None:
    logic = Logic()
    x, y = logic.variable(SORT), logic.variable(SORT)
    witness = logic.app("Lemma!1", SORT, (x,))
    clause = Clause((x, y), logic.app("r", BOOL, (witness, y)))
    terms = [logic.app(name, SORT) for name in "ab"]
    made = find_witnesses(logic, Kinds(), [clause], terms)
    assert made == [logic.app("Lemma!1", SORT, (term,)) for term in terms]
    many = [logic.app(f"t{number}", SORT) for number in range(31)]
    assert find_witnesses(logic, Kinds(), [clause], many) == []


def test_efforts_with_little_time_come_before_great_ones() -> None:
    premises = SimpleNamespace(
        has_elements_with_fields=True,
        has_sets_in_states=False,
        has_counts=False,
        is_hinted=lambda _: False,
    )
    obligations = cast(Obligations, SimpleNamespace(premises=premises))
    obligation = Obligation("Send", "Sent", 0, (), (), (), True)
    seconds = [effort.seconds for _, effort in _in_turn(obligations, obligation, EFFORTS)]
    matched = [
        place for place, one in enumerate(_in_turn(obligations, obligation, EFFORTS)) if one[1].matched
    ]
    assert max(seconds[: matched[1] + 1]) <= 2.0
    assert len(seconds) > matched[-1] + 1
    rounds = [one.matched for _, one in _in_turn(obligations, obligation, EFFORTS) if one.matched]
    assert rounds == sorted(rounds)
