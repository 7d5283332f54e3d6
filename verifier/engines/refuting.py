"""The obligations of a proof for all constants that fail at small ones. No effort of a solver can show these.

Such a proof may assume in the state before: the lemmas, and that their reads have values; the property, if it
is one of states; that no instance of an action leaves a sort or makes an undefined read. Nothing else is
assumed here. An obligation fails if its claim has a value and is false. So each counterexample is one of the
reading for all constants, at constants that satisfy its assumptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.bits import disjunction, negation
from verifier.encodings.concrete import show_constants
from verifier.encodings.definedness import Definedness
from verifier.encodings.lowering import Lowering
from verifier.encodings.partiality import is_total
from verifier.engines.choices import INDUCTION_SOLVER
from verifier.engines.inductive_question import Kind, Question
from verifier.engines.inductive_step import failing
from verifier.parametric.results import Refuted
from verifier.parametric.system import ALWAYS, INITIALLY
from verifier.processes.children import Work
from verifier.specs.definition import PropertyKind
from verifier.symmetry.instance_orbits import instance_representatives
from verifier.system.model import Model

_OF_STATES = (PropertyKind.INVARIANT, PropertyKind.DEADLOCK_INVARIANT)


def refuting(made: Callable[[], Model | None], property_name: str) -> Work:
    """The work of a process that makes a model and reports what fails there."""

    def work(report: Callable[[Any], None], _: Connection) -> None:
        model = made()
        if model is not None:
            for one in refute_obligations(model, property_name):
                report(one)

    return work


def refute_obligations(model: Model, property_name: str) -> Iterator[Refuted]:
    """The obligations that fail, each action and claim once. Not of the type invariant and of properties of
    steps, nor that what is read has a value."""
    asked, system = model.asking((property_name,)), model.system
    claimed = system.property_named(property_name)
    assumed = {lemma.name: lemma.formula for lemma in system.lemmas}
    assumed |= {prop.name: prop.formula for prop in asked.system.implied}
    goals = dict(_goals(model))
    if claimed.kind is PropertyKind.INVARIANT:
        assumed[property_name] = claimed.formula
        goals[property_name] = claimed.formula
    always = property_name if claimed.kind in _OF_STATES else None
    formulas = {**assumed, property_name: claimed.formula}
    formulas |= {_goal(name): said for name, said in goals.items()}
    instances = tuple(instance_representatives(model.definition, system))
    question = Question(formulas, (), (), property_name, instances, INDUCTION_SOLVER)
    names, where = {_goal(name): name for name in goals}, show_constants(model.definition.constants)
    for answer in failing(system, question, tuple(assumed), tuple(names), always):
        at = ALWAYS if answer.kind is Kind.SAFETY else INITIALLY
        if answer.instance is not None:
            at = system.instances[answer.instance].action
        yield Refuted(at, names.get(answer.formula, answer.formula), where)


def _goals(model: Model) -> Iterator[tuple[str, FNode]]:
    """Yield the lemmas, each true also where it makes an undefined read: it has no meaning there."""
    lowering = Lowering({v: model.layout.lowered[v.name] for v in model.definition.variables})
    terms = {lemma.name: lemma.formula for lemma in model.definition.lemmas}
    for lemma in model.system.lemmas:
        term = terms[lemma.name]
        if is_total(term):
            yield lemma.name, lemma.formula
        else:
            read = Definedness(lowering).of(term)
            yield lemma.name, disjunction((negation(read), lowering.formula(term)))


def _goal(name: str) -> str:
    """The name of a claimed formula. No lemma or property has such a name."""
    return f"{name} claimed"
