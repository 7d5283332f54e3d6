"""Transition systems as definitions in SMT-LIB 2 or, with annotations, in VMT-LIB (https://vmt-lib.fbk.eu/).

The text declares each state bit twice, ``|hw#0|`` for the present state and ``|hw#0'|`` for the next state.
It also declares the inputs of a step. The definitions ``is-init``, ``is-valid``, ``is-trans`` and
``|holds P|`` use these names. A step takes at most one instance. A step that takes no instance leaves the
state as it is, so every state has a successor.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.clauses.smt2 import NEXT, NOW, SystemText, bit_name, clean
from verifier.system.model import Model

SMT_NAMES = {"init": "is-init", "valid": "is-valid", "trans": "is-trans"}
"""No name of a protocol's variable contains a hyphen, so these names are free."""


def now(name: str) -> str:
    """The name of a bit in the present state, from its name in ``verifier.clauses.smt2``."""
    return name.replace(NOW, "")


def after(name: str) -> str:
    """The name of a bit in the next state, from its name in ``verifier.clauses.smt2``."""
    return name.replace(NOW, "'")


def definitions(model: Model, properties: Sequence[str], *, annotated: bool) -> list[str]:
    """The lines, annotated as in VMT-LIB or plain."""
    text = SystemText(model.system, properties)
    (initially, init), (validly, valid) = text.initial(), text.valid()
    relation, conjuncts = text.relation()
    bits = [bit_name(symbol) for symbol in model.system.bits]
    step = " ".join((SMT_NAMES["valid"], *conjuncts))
    lines = ["(set-logic QF_UF)", *text.declarations()]
    lines += (line.replace(NOW, NEXT) for line in text.declarations())
    lines += [*text.inputs(), *initially, *validly, *relation]
    if annotated:
        lines += (f"(define-fun |state {bit[1:-1]}| () Bool (! {bit} :next {after(bit)}))" for bit in bits)
    marks = {"init": ":init true", "trans": ":trans true"} if annotated else {}
    for part, formula in (("valid", valid), ("init", init), ("trans", f"(and {step})")):
        marked = f"(! {formula} {marks[part]})" if part in marks else formula
        lines.append(f"(define-fun {SMT_NAMES[part]} () Bool {marked})")
    lines += text.state()
    if annotated:
        lines += (
            f"(define-fun |property {clean(name)}| () Bool (! |holds {clean(name)}| :invar-property {index}))"
            for index, name in enumerate(properties)
        )
    return [line.replace(NEXT, "'").replace(NOW, "") for line in lines]


def queries(properties: Sequence[str]) -> list[str]:
    """The questions that a user can ask of the plain definitions, as comments."""
    held = [f"|holds {clean(name)}|" for name in properties]
    together = f"(and {' '.join(held)})" if len(held) > 1 else held[0]
    return [
        "Nothing is asserted. Each of these, with (check-sat), has an answer of its own:",
        f"  (assert is-init) (assert (not {together}))  -- sat: it fails in an initial state",
        f"  (assert is-valid) (assert {together}) (assert is-trans), then the negation of its copy",
        "    in the next state, every |x| of a state bit replaced by |x'|  -- unsat: it is inductive",
        "verify bmc --dump-smt2 writes the question whether it fails within a number of steps.",
    ]
