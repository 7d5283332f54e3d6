"""The arguments of new symbols, and the facts and lemmas that a solver gets first, in proofs for all
constants."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.parametric.test_parametric_counting import truth
from verifier.encodings.quantifiers import comprehension, forall
from verifier.encodings.sorts import Boolean, Function, Range, Set
from verifier.parametric.arguments import abstract_parameters
from verifier.parametric.deciding import decide
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Proofs
from verifier.parametric.results import Open, Result, Shown
from verifier.solvers.solver_names import load_script_solvers
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
    lemma,
)
from verifier.specs.titles import UNDEFINED_READ


class Piles(Protocol, camel_case=True):
    """Each person has places with things, the first never empty, and adds to the last that is none."""

    people = IndexSetConstant(2, kind="person")
    things = IndexSetConstant(2, kind="thing")
    places = IntegerConstant(2, minimum=1)
    most = IntegerConstant(1, minimum=1)

    def state(self) -> State:
        return State(piles=Function(self.people, Function(Range(1, self.places), Set(self.things))))

    def init(self, s: Any) -> Any:
        return forall(s.piles[p][n].is_empty for p in self.people for n in Range(1, self.places))

    def place(self, s: Any, person: Any) -> Any:
        pile = s.piles[person]
        return comprehension(n for n in Range(1, self.places) if (n == 1) | ~pile[n].is_empty).maximum

    def last(self, s: Any, person: Any) -> Any:
        return s.piles[person][self.place(s, person)]

    @action(person="people", thing="things")
    def add(self, s: Any, person: Any, thing: Any) -> Step:
        few = self.last(s, person).cardinality < self.most
        more = s.piles[person][1].add(thing)
        return Step(when=[few, self.place(s, person) == 1], then={s.piles[person][1]: more})

    @lemma(using=["nothing_elsewhere"])
    def few_in_the_first(self, s: Any) -> Any:
        """Nobody has too many things."""
        return forall(s.piles[p][1].cardinality <= self.most for p in self.people)

    @lemma
    def nothing_elsewhere(self, s: Any) -> Any:
        """All is in the first place."""
        return forall(s.piles[p][n].is_empty for p in self.people for n in Range(1, self.places) if n > 1)

    @invariant
    def few(self, s: Any) -> Any:
        return forall(self.last(s, p).cardinality <= self.most for p in self.people)


class Careless(Piles):
    """More is added than there may be."""

    @action(person="people", thing="things")
    def add(self, s: Any, person: Any, thing: Any) -> Step:
        return Step(then={s.piles[person][1]: s.piles[person][1].add(thing)})


class Beyond(Piles):
    """A place is read that there is not."""

    @action(person="people")
    def move(self, s: Any, person: Any) -> Step:
        return Step(when=[~s.piles[person][self.places + 1].is_empty], then={})


class Counter(Protocol, camel_case=True):
    """A number, and whether each number above it was seen."""

    most = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(at=Range(0, self.most - 1), seen=Function(Range(1, self.most), Boolean()))

    def init(self, s: Any) -> Any:
        return (s.at == 0) & forall(~s.seen[n] for n in Range(1, self.most))

    @action
    def see(self, s: Any) -> Step:
        return Step(when=[~s.seen[s.at + 1]], then={s.seen[s.at + 1]: True})

    @invariant
    def few(self, s: Any) -> Any:
        return s.at < self.most


def test_what_an_action_reads_has_the_symbol_of_the_property() -> None:
    """The last place, and how many things are there: of who adds, and of everybody."""
    listed = Proofs.of(read_for_all(Piles, {})).list_obligations("Few", kept=False)
    definitions = listed.obligations.system.definitions
    assert len(definitions.extremes) == 1
    of_last = [one for one in definitions.counts.values() if any(map(_is_extreme, one.inside.args))]
    assert [len(one.outside) for one in of_last] == [1]


def _is_extreme(node: Any) -> bool:
    return str(node.data).startswith("greatest")


def test_a_formula_of_parameters_is_one_of_variables() -> None:
    """Applied to what they stand for, it says the same."""
    logic = Logic()
    about, bound = logic.variable(INT), logic.variable(INT)
    one, other, fixed = (logic.app(name, INT) for name in ("one?", "other?", "fixed"))
    held = logic.app("held", BOOL, (logic.plus(about, one), bound))
    formula = logic.conj((logic.less_equal(about, other), held, logic.less_equal(fixed, bound)))
    found = abstract_parameters(logic, formula, (about,))
    assert set(found.arguments) == {one, other, bound}
    assert found.formula.free == {about, *found.variables}
    back = dict(zip(found.variables, found.arguments, strict=True))
    assert logic.substitute(found.formula, back) is formula
    domain = range(3)
    for values in product(domain, repeat=4):
        named = {"one?": {(): values[0]}, "other?": {(): values[1]}, "fixed": {(): values[2]}}
        known: Any = {**named, "held": {pair: (sum(pair) % 2 == 0) for pair in product(range(5), domain)}}
        at = {about: logic.integer(values[3]), bound: logic.integer(values[1])}
        terms = {"one?": values[0], "other?": values[1]}
        general = {v: logic.integer(terms.get(str(a.data), values[1])) for v, a in back.items()}
        said = logic.substitute(found.formula, {**general, about: at[about]})
        assert truth(said, known, [*domain]) == truth(logic.substitute(formula, at), known, [*domain])


def results(kind: type[Protocol], claim: str, at: str, efforts: int) -> list[Result]:
    """Return the results for that claim at an action with the first efforts."""
    load_script_solvers()
    listed = Proofs.of(read_for_all(kind, {})).list_obligations("Few", kept=False)
    asked = [one for one in listed.claims[claim] if one.at == at]
    return [decide(listed.obligations, one, EFFORTS[:efforts]) for one in asked]


def test_what_is_true_is_proved_and_what_is_not_is_not() -> None:
    (shown,) = results(Piles, "FewInTheFirst", "Add", len(EFFORTS))
    assert isinstance(shown, Shown)
    (open_,) = results(Careless, "FewInTheFirst", "Add", 2)
    assert isinstance(open_, Open)


def test_that_reads_have_a_value_is_first_shown_with_the_sorts_of_values() -> None:
    """As the lemmas are, without instances; and with all else where that does not suffice."""
    shown = results(Piles, UNDEFINED_READ, "Add", len(EFFORTS))
    assert shown
    assert all(isinstance(one, Shown) and EFFORTS[one.effort].own for one in shown)
    assert all(isinstance(one, Open) for one in results(Beyond, UNDEFINED_READ, "Move", 1))


def test_the_sort_of_a_single_number_is_among_what_reads_are_shown_with() -> None:
    """The lemma that says so is about no other value."""
    shown = results(Counter, UNDEFINED_READ, "See", 0)
    assert shown
    assert all(isinstance(one, Shown) and one.uses == ("Typed:at",) for one in shown)
