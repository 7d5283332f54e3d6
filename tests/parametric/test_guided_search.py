"""Instances that models choose, compared with all instances at once."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from tests.parametric.test_parametric_hints import Shelf, obligation
from verifier.parametric import guided_search
from verifier.parametric.clausal import Clause
from verifier.parametric.deciding import STEPS_PER_SECOND
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.evaluation import Evaluation
from verifier.parametric.guided_search import GuidedSearch
from verifier.parametric.instances import Family, instantiate
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT, Node
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Proofs
from verifier.parametric.query import Query
from verifier.parametric.spoken_of import say_parts
from verifier.solvers import Answer
from verifier.solvers.solver_names import decide_script, open_script_solver
from verifier.specs.registry import load


class Tables:
    """A model: functions as tables of random values."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.values: dict[Any, int] = {}

    def value(self, function: str, args: tuple[int, ...], sort: str) -> int:
        values = range(2) if sort == BOOL else range(-2, 4)
        return self.values.setdefault((function, args), self.random.choice(values))


def make_formula(logic: Logic, random: Random, variables: list[Node], depth: int) -> Node:
    """Return a random formula."""
    kind = random.choice(("and", "or", "not", "ite", "iff") if depth else ("p", "q", "=", "<=", "variable"))
    if kind in ("and", "or", "not", "ite", "iff"):
        parts = [make_formula(logic, random, variables, depth - 1) for _ in range(3)]
        make: Any = {"not": lambda: logic.neg(parts[0]), "iff": lambda: logic.iff(parts[0], parts[1])}
        make |= {"and": lambda: logic.conj(parts), "or": lambda: logic.disj(parts)}
        formula: Node = make.get(kind, lambda: logic.ite(*parts))()
        return formula
    one, other = (make_term(logic, random, variables, 2) for _ in range(2))
    if kind == "=":
        return logic.equal(one, other)
    if kind == "<=":
        return logic.less_equal(one, other)
    if kind == "variable":
        return variables[-1]
    return logic.app(kind, BOOL, (one, other)[: 1 if kind == "p" else 2])


def make_term(logic: Logic, random: Random, variables: list[Node], depth: int) -> Node:
    """Return a random integer."""
    kind = random.choice(("sum", "product", "f", "ite") if depth else ("variable", "c", "number"))
    if kind == "variable":
        return random.choice(variables[:-1])
    if kind == "c":
        return logic.app("c", INT)
    if kind == "number":
        return logic.integer(random.randint(-2, 3))
    one, other = (make_term(logic, random, variables, depth - 1) for _ in range(2))
    if kind == "f":
        return logic.app("f", INT, (one, other))
    if kind == "ite":
        return logic.ite(logic.less_equal(one, other), one, logic.app("g", INT, (other,)))
    return logic.plus(one, logic.times(logic.integer(3), other)) if kind == "sum" else logic.times(one, other)


def make_family(logic: Logic, random: Random) -> Family:
    """Return a random family, of a clause with two integers and a truth value."""
    variables = [logic.variable(INT), logic.variable(INT), logic.variable(BOOL)]
    body = make_formula(logic, random, variables, 3)
    terms = tuple(logic.app(f"t{number}", INT) for number in range(4))
    choices = (terms, (*terms[:2], logic.app("f", INT, (terms[3], terms[0]))), (logic.true, logic.false))
    near = frozenset(random.sample(terms, random.randint(0, 2)))
    return Family("Lemma", Clause(tuple(variables), body), choices, near)


@pytest.mark.parametrize("seed", range(60))
def test_a_model_violates_the_instances_that_are_false_when_made(seed: int) -> None:
    random, logic = Random(seed), Logic()
    family = make_family(logic, random)
    model = Tables(random)
    violated = list(Evaluation(model).find_violated(family))
    evaluation = Evaluation(model)
    chosen = list(product(*family.choices))
    expected = [
        number
        for number in range(family.size)
        if not evaluation.value(family.make(logic, number))
        and (not family.near or not family.near.isdisjoint(chosen[number]))
    ]
    assert violated == expected


@pytest.mark.parametrize("seed", range(30))
def test_parts_of_instances_speak_of_all_that_instances_speak_of(seed: int) -> None:
    random, logic = Random(seed), Logic()
    family = make_family(logic, random)

    def applications(nodes: list[Node]) -> set[Node]:
        found, todo = set[Node](), list(nodes)
        while todo:
            node = todo.pop()
            found |= {node} if node.kind == "app" and node.data == "g" else set()
            todo += node.args
        return found

    whole = [body for _, body in instantiate(logic, family.clause, family.choices)]
    assert applications(whole) <= applications(say_parts(logic, [family], {"g"}))


def test_values_of_a_model_are_those_of_the_solver() -> None:
    """Also of a function that the model gives as a term, and of one that it does not know."""
    solver = open_script_solver()
    solver.add(
        ["(declare-sort S 0)", "(declare-fun f (Int) Int)", "(declare-fun a () S)", "(declare-fun b () S)"],
        ["(assert (= (f 3) 7))", "(assert (= (f 4) 9))", "(assert (not (= a b)))"],
    )
    assert solver.decide((), 1_000_000, complete=False).answer is Answer.SATISFIABLE
    model = solver.find_model()
    assert model is not None
    assert [model.value("f", (number,), "Int") for number in (3, 4)] == [7, 9]
    assert model.value("a", (), "S") != model.value("b", (), "S")
    assert model.value("unknown", (5,), "Int") == 0
    assert model.value("unknown of S", (), "S") in {model.value(name, (), "S") for name in "ab"}


def decide_at_once(query: Query) -> Answer:
    """Return the answer of the solver that gets all hypotheses."""
    return decide_script("z3", query.script(range(query.size)), (), 20 * STEPS_PER_SECOND).answer


@pytest.mark.parametrize(
    ("spec", "claim", "most"), [("kip320", "StrongIsr", 12), ("rabbit-sac", "DeadlockPerfect", 12)]
)
@pytest.mark.thorough
def test_a_guided_search_shows_what_all_instances_show(
    monkeypatch: pytest.MonkeyPatch, spec: str, claim: str, most: int
) -> None:
    monkeypatch.setattr(guided_search, "_FEW", 0)
    kind = load(spec)
    listed = Proofs.of(read_for_all(kind, dict(kind().constants))).list_obligations(claim, kept=True)
    asked = [one for each in listed.claims.values() for one in each[:2]]
    compared = made = size = 0
    for one in asked[:: max(1, len(asked) // most)]:
        for effort in (EFFORTS[0], EFFORTS[1], EFFORTS[9]):
            query = Query.of(listed.obligations, one, effort)
            search = GuidedSearch(query)
            answer = search.decide(20 * STEPS_PER_SECOND)
            made, size = made + len(search._numbers), size + query.size
            if Answer.UNKNOWN not in (at_once := decide_at_once(query), answer):
                assert answer is at_once, (one.name, effort)
                compared += 1
    assert compared > most
    assert made < size / 2


def test_a_search_goes_on_where_it_ended() -> None:
    search = GuidedSearch(Query.of(*obligation(Shelf, "OneBox", "Put"), EFFORTS[20]))
    assert search.decide(10, 0) is Answer.UNKNOWN
    assert search.decide(10 * STEPS_PER_SECOND) is Answer.UNSATISFIABLE
    text = search.query.script(search.kept)
    assert decide_script("cvc5", text, ()).answer is Answer.UNSATISFIABLE


def test_without_models_the_next_instances_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided_search, "_FEW", 0)
    monkeypatch.setattr(type(open_script_solver()), "find_model", lambda _: None)
    search = GuidedSearch(Query.of(*obligation(Shelf, "EndIsLast", "Put"), EFFORTS[12]))
    assert search.decide(10 * STEPS_PER_SECOND) is Answer.UNSATISFIABLE
    assert search.kept
