"""The spec hash: every change of what a protocol means changes it, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.support import changed_definitions as changes
from tests.support.changed_definitions import Change, alike, change_sort, change_term, definition
from tests.support.command_line import ROOT
from tests.support.sampling import first_of
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.sorts import Boolean, Enum, IndexSet, Range, Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs import hashing
from verifier.specs.built_in import BUILT_IN
from verifier.specs.definition import Action, Definition, Parameter, PropertyKind
from verifier.specs.hashing import NoCanonicalForm, spec_hash, value_form
from verifier.specs.protocol import define
from verifier.specs.registry import load

SEEDS = range(12)
SOME = [seed if seed < 1 else pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS]
B = Boolean()


def put(one: tuple[Any, ...], place: int, other: Any) -> tuple[Any, ...]:
    return (*one[:place], other, *one[place + 1 :])


def change_definition(whole: Definition) -> Iterator[Change]:
    """The definition with one thing in it changed."""
    scope = whole.variables
    yield "name", replace(whole, name="other")
    for name, value in whole.constants.items():
        others = {key: item for key, item in whole.constants.items() if key != name}
        yield "a constant less", replace(whole, constants=others)
        yield "a constant's name", replace(whole, constants={**others, f"{name}_": value})
        for words, item in changes.change_value(value):
            yield f"constant {name}: {words}", replace(whole, constants={**others, name: item})
    yield "order of variables", replace(whole, variables=whole.variables[::-1])
    for place, symbol in enumerate(whole.variables):
        others_sorts = [("name", Symbol(f"{symbol.name}_", symbol.sort))]
        others_sorts += [(words, Symbol(symbol.name, sort)) for words, sort in change_sort(symbol.sort)]
        for words, new in others_sorts:
            other = changes.everywhere(whole, lambda term: changes.substitute_symbols(term, {symbol: new}))  # noqa: B023
            variables = put(whole.variables, place, new)
            yield f"variable {symbol.name}, {words}", replace(other, variables=variables)
    for words, term in change_term(whole.init, scope):
        yield f"init, {words}", replace(whole, init=term)
    yield "order of actions", replace(whole, actions=whole.actions[::-1])
    for place, action in enumerate(whole.actions):
        for words, other_action in change_action(action, scope):
            actions = put(whole.actions, place, other_action)
            yield f"{action.name}, {words}", replace(whole, actions=actions)
    yield from change_claims(whole)


def change_claims(whole: Definition) -> Iterator[Change]:
    scope = whole.variables
    yield "a property less", replace(whole, properties=whole.properties[1:])
    for place, prop in enumerate(whole.properties):
        others: list[tuple[str, Any]] = [("name", replace(prop, name="Other"))]
        others += [(kind, replace(prop, kind=kind)) for kind in PropertyKind if kind is not prop.kind]
        others += [(words, replace(prop, formula=t)) for words, t in change_term(prop.formula, scope)]
        for words, other in others:
            properties = put(whole.properties, place, other)
            yield f"{prop.name}, {words}", replace(whole, properties=properties)
    if whole.constraint is None:
        yield "a constraint", replace(whole, constraint=whole.init)
        yield "a constraint that is true", replace(whole, constraint=Term(Operator.LITERAL, B, (), True))
    else:
        yield "no constraint", replace(whole, constraint=None)
        for words, term in change_term(whole.constraint, scope):
            yield f"constraint, {words}", replace(whole, constraint=term)
    (lemma,) = whole.lemmas
    yield "no lemma", replace(whole, lemmas=())
    yield "a lemma's name", replace(whole, lemmas=(replace(lemma, name="Other"),))
    for words, term in change_term(lemma.formula, scope):
        yield f"lemma, {words}", replace(whole, lemmas=(replace(lemma, formula=term),))


def change_action(action: Action, state: tuple[Symbol, ...]) -> Iterator[Change]:
    scope = (*state, *(p.symbol for p in action.parameters))
    yield "name", replace(action, name="Other")
    yield "order of parameters", replace(action, parameters=action.parameters[::-1])
    yield (
        "a parameter more",
        replace(action, parameters=(*action.parameters, Parameter(Symbol("r", B), False))),
    )
    for place, parameter in enumerate(action.parameters):
        free = replace(parameter, free=not parameter.free)
        yield "free", replace(action, parameters=put(action.parameters, place, free))
        old = parameter.symbol
        news = [Symbol(f"{old.name}_", old.sort), *(Symbol(old.name, s) for _, s in change_sort(old.sort))]
        for new in news:
            parameters = put(action.parameters, place, replace(parameter, symbol=new))
            when = tuple(changes.substitute_symbols(term, {old: new}) for term in action.when)
            then = tuple(
                (changes.substitute_symbols(one, {old: new}), changes.substitute_symbols(two, {old: new}))
                for one, two in action.then
            )
            yield f"{old.name} became {new}", replace(action, parameters=parameters, when=when, then=then)
    yield "a guard line less", replace(action, when=action.when[1:])
    yield "an assignment less", replace(action, then=action.then[1:])
    yield "guard lines as one", replace(action, when=(Term(Operator.AND, B, action.when),))
    first, second = action.when
    if not alike(first, second):
        yield "order of guard lines", replace(action, when=action.when[::-1])
    for place, line in enumerate(action.when):
        for words, term in change_term(line, scope):
            yield f"guard {place}, {words}", replace(action, when=put(action.when, place, term))
    for place, (target, value) in enumerate(action.then):
        sides: list[Change] = [] if alike(target, value) else [("sides", (value, target))]
        sides += [(f"target, {words}", (term, value)) for words, term in change_term(target, scope)]
        sides += [(f"value, {words}", (target, term)) for words, term in change_term(value, scope)]
        for words, pair in sides:
            yield f"assignment {place}, {words}", replace(action, then=put(action.then, place, pair))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SOME)
def test_every_change_changes_the_hash(seed: int) -> None:
    whole = definition(seed)
    before = spec_hash(whole)
    kinds = 0
    for words, other in change_definition(whole):
        assert spec_hash(other) != before, words
        kinds += 1
    assert kinds > 300


def test_the_random_definitions_have_every_operator_and_sort() -> None:
    terms = [inner for seed in SEEDS for _, term in definition(seed).terms() for inner in term.walk()]
    assert {term.operator for term in terms} == set(Operator)
    assert {type(term.sort) for term in terms} == set(Sort.__subclasses__())


@pytest.mark.parametrize("seed", SEEDS)
def test_names_of_bound_variables_and_words_do_not_count(seed: int) -> None:
    whole = definition(seed)
    before = spec_hash(whole)
    other = changes.everywhere(whole, changes.rename_bound)
    assert any(inner.binds for _, term in other.terms() for inner in term.walk())
    assert spec_hash(other) == before
    quiet = replace(
        whole,
        drawing=None,
        actions=tuple(replace(action, description="") for action in whole.actions),
        properties=tuple(replace(p, default=not p.default, description="") for p in whole.properties),
        lemmas=tuple(replace(lemma, description="") for lemma in whole.lemmas),
    )
    assert spec_hash(quiet) == before


def test_bound_variables_belong_to_their_binders() -> None:
    """All ways to use two bound variables of one name and sort are told apart."""
    outer, inner = Symbol("x", B), Symbol("x", B)

    def nest(one: Symbol, other: Symbol) -> Definition:
        uses = tuple(Term(Operator.VARIABLE, B, (), symbol) for symbol in (one, other))
        body = Term(Operator.EQUAL, B, uses)
        both = Term(Operator.FORALL, B, (Term(Operator.EXISTS, B, (body,), binds=inner),), binds=outer)
        return replace(definition(0), init=both)

    found = {spec_hash(nest(one, other)) for one in (outer, inner) for other in (outer, inner)}
    assert len(found) == 4


def test_a_shared_term_is_what_its_copies_are() -> None:
    """A term that is shared under different binders is hashed for each of its places."""
    x = Symbol("x", B)
    use = Term(Operator.VARIABLE, B, (), x)

    def whole(one: Term, other: Term) -> Definition:
        deeper = Term(Operator.EXISTS, B, (Term(Operator.NOT, B, (other,)),), binds=Symbol("y", B))
        both = Term(Operator.AND, B, (Term(Operator.NOT, B, (one,)), deeper))
        return replace(definition(0), init=Term(Operator.FORALL, B, (both,), binds=x))

    assert spec_hash(whole(use, use)) == spec_hash(whole(use, Term(Operator.VARIABLE, B, (), x)))


def test_values_that_are_one_have_one_form() -> None:
    assert value_form(FrozenMap({"a": 1, "b": 2})) == value_form(FrozenMap({"b": 2, "a": 1}))
    assert value_form(frozenset((1, "1", None, (1,)))) == value_form(frozenset(((1,), None, "1", 1)))
    forms = [value_form(v) for v in (1, True, "1", (1,), frozenset((1,)), None, "None", "true", 0, False)]
    assert len(set(forms)) == len(forms)


def test_sorts_that_compare_equal_are_told_apart() -> None:
    for one, other in (
        (IndexSet("node", 2), IndexSet("node", 2, symmetric=False)),
        (Enum("E", ("a", "b")), Enum("E", ("b", "a"))),
    ):
        variables = [(Symbol("s", sort),) for sort in (one, other)]
        plain = replace(definition(0), init=Term(Operator.LITERAL, B, (), True), actions=(), properties=())
        plain = replace(plain, constraint=None, lemmas=())
        assert len({spec_hash(replace(plain, variables=symbols)) for symbols in variables}) == 2


@dataclass(frozen=True)
class Stranger:
    """A hashable value of no sort."""

    number: int


def test_an_unknown_kind_of_value_is_an_error_and_no_guess() -> None:
    for value in (Stranger(1), 1.5, b"1", (1, Stranger(1)), frozenset((Stranger(1),))):
        with pytest.raises(NoCanonicalForm, match="cannot be part of a spec hash"):
            value_form(value)
    literal = Term(Operator.LITERAL, Range(0, 1), (), Stranger(1))
    with pytest.raises(NoCanonicalForm, match="Stranger"):
        spec_hash(replace(definition(0), init=literal))


def test_a_variable_of_nowhere_is_an_error() -> None:
    stray = Term(Operator.VARIABLE, B, (), Symbol("stray", B))
    with pytest.raises(NoCanonicalForm, match="'stray' belongs to no state"):
        spec_hash(replace(definition(0), init=stray))


def test_the_version_is_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = spec_hash(definition(0))
    monkeypatch.setattr(hashing, "VERSION", hashing.VERSION + 1)
    assert spec_hash(definition(0)) != before


ELSEWHERE = """
from tests.support.changed_definitions import definition
from verifier.specs.protocol import define
from verifier.specs.built_in import BUILT_IN
from verifier.specs.registry import load
print(*(definition(seed).spec_hash for seed in range(12)))
print(*(define(load(name)({})).spec_hash for name in BUILT_IN))
"""


@pytest.mark.parametrize("seed", first_of(["1", "2"], 1))
def test_the_hash_is_the_same_in_another_process(seed: str) -> None:
    here = [definition(number).spec_hash for number in SEEDS]
    here += [define(load(name)({})).spec_hash for name in BUILT_IN]
    assert len(set(here)) == len(here)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == here


def test_shared_terms_do_not_blow_up() -> None:
    """A term of 2^200 paths, under binders that all of it uses, is hashed in no time."""
    binders = [Symbol(f"x{number}", B) for number in range(4)]
    uses = [Term(Operator.VARIABLE, B, (), symbol) for symbol in binders]
    term = Term(Operator.AND, B, tuple(uses))
    for _ in range(200):
        term = Term(Operator.OR, B, (term, term))
    for symbol in binders:
        term = Term(Operator.FORALL, B, (term, term), binds=symbol)
    began = time.perf_counter()
    spec_hash(replace(definition(0), init=term))
    assert time.perf_counter() - began < 1
