"""The question of bounded model checking as SMT-LIB 2, for other solvers and for reading.

``|hw[r1]#0@3|`` is a state bit in state 3, ``|take LeaderWrite(r1)@3|`` says that this instance leads
from state 3 to the next, and ``|holds StrongIsr@3|`` that the property holds in state 3. An execution
may end before the last step, since a state without a successor counts like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pysmt.fnode import FNode
from pysmt.operators import AND, BOOL_CONSTANT, IFF, IMPLIES, ITE, NOT, OR, SYMBOL

from verifier.encodings.bits import in_order
from verifier.encodings.concrete import show_constants
from verifier.system.model import Model
from verifier.system.transition_system import Instance, TransitionSystem

NOW, NEXT = "@\u0001", "@\u0002"
"""Stand for the numbers of a state and of the next one, until the text of one step is copied."""
_OPERATORS = {AND: "and", OR: "or", NOT: "not", IFF: "=", ITE: "ite", IMPLIES: "=>"}


def dump(model: Model, properties: Sequence[str], depth: int) -> str:
    """A script whose assertions have a model exactly when an execution of at most ``depth`` actions
    violates one of the properties, or reaches a reachable one."""
    writer = SystemText(model.system, properties)
    (initially, first), (relation, conjuncts) = writer.initial(), writer.relation()
    state = "\n".join(writer.state())
    step = "\n".join([f"; step from state {NOW.removeprefix('@')}", *_next(writer.declarations())])
    step = "\n".join([step, *writer.inputs(), *relation, *(f"(assert {each})" for each in conjuncts)])
    lines = [*_preamble(model, properties, depth), *_at(writer.declarations(), 0), *_at([state], 0)]
    lines += _at([*initially, f"(assert {first})"], 0)
    for number in range(depth):
        lines += _at([step], number)
        lines += [f"; state {number + 1}", *_at([state], number + 1)]
    held = (f"|holds {name}{NOW}|" for name in map(clean, properties))
    every = [literal.replace(NOW, f"@{number}") for literal in held for number in range(depth + 1)]
    question = f"(assert (not (and true {' '.join(every)})))"
    return "\n".join([*lines, "; some property fails in some state", question, "(check-sat)"]) + "\n"


def define(model: Model, formulas: Mapping[str, FNode]) -> str:
    """Formulas over the bits of one state as definitions, and their conjunction as ``invariant``."""
    terms = _Terms("term", tuple(formulas.values()))
    lines = [f"(declare-fun {bit_name(symbol)} () Bool)" for symbol in model.system.bits]
    lines += terms.definitions
    names = [f"|{clean(name)}|" for name in formulas]
    lines += (
        f"(define-fun {name} () Bool {terms.text[formula]})"
        for name, formula in zip(names, formulas.values(), strict=True)
    )
    lines.append(f"(define-fun invariant () Bool (and true {' '.join(names)}))")
    return "\n".join(lines).replace(NOW, "")


def _preamble(model: Model, properties: Sequence[str], depth: int) -> list[str]:
    definition = model.definition
    constants = show_constants(definition.constants)
    words = f"An execution of at most {depth} actions that violates one of {', '.join(properties)}."
    return [
        f"; {definition.name} with {constants} (spec hash {definition.spec_hash})",
        f"; {words}",
        "; There is one exactly when the assertions below can be satisfied together.",
        "; Serial steps, without symmetry breaking.",
        "(set-logic QF_UF)",
        "; state 0",
    ]


def _at(lines: Iterable[str], number: int) -> Iterator[str]:
    """Lines for one state, or for the step from it."""
    return (line.replace(NOW, f"@{number}").replace(NEXT, f"@{number + 1}") for line in lines)


def _next(lines: Iterable[str]) -> Iterator[str]:
    return (line.replace(NOW, NEXT) for line in lines)


def clean(name: str) -> str:
    """A name as it may stand between bars; different names stay different."""
    return re.sub(r"[|\\%]", lambda sign: f"%{ord(sign[0]):02X}", name)


class SystemText:
    """The parts of a transition system as text, in which ``NOW`` and ``NEXT`` stand for the state."""

    def __init__(self, system: TransitionSystem, properties: Sequence[str]) -> None:
        self.system = system
        self.properties = {name: system.property_named(name).formula for name in properties}
        self.taken = [f"|take {clean(instance.label)}{NOW}|" for instance in system.instances]

    def declarations(self) -> list[str]:
        """The bits of a state."""
        return [f"(declare-fun {bit_name(symbol)} () Bool)" for symbol in self.system.bits]

    def initial(self) -> tuple[list[str], str]:
        """Return the definitions that the formula of initial states needs, and the formula."""
        terms = _Terms("initial", (self.system.init,))
        return terms.definitions, terms.text[self.system.init]

    def valid(self) -> tuple[list[str], str]:
        """Return the definitions and the formula that the bits encode a state."""
        terms = _Terms("valid", (self.system.valid,))
        return terms.definitions, terms.text[self.system.valid]

    def state(self) -> list[str]:
        """The formula of each property in a state."""
        terms = _Terms("state", tuple(self.properties.values()))
        named = (
            f"(define-fun |holds {clean(name)}{NOW}| () Bool {terms.text[formula]})"
            for name, formula in self.properties.items()
        )
        return [*terms.definitions, *named]

    def inputs(self) -> list[str]:
        """Return declarations of the taken instance and its free parameters."""
        free = (bit_name(symbol) for instance in self.system.instances for symbol in instance.inputs)
        return [f"(declare-fun {name} () Bool)" for name in (*free, *self.taken)]

    def relation(self) -> tuple[list[str], list[str]]:
        """One step: at most one instance is taken; it must be enabled, and decides the next state.

        What the formulas need defined, and the formulas, all of which hold of a step.
        """
        instances = self.system.instances
        terms = _Terms("step", [term for i in instances for term in (i.guard, *i.updates.values())])
        conjuncts = [
            f"(=> {taken} {terms.text[instance.guard]})"
            for taken, instance in zip(self.taken, self.system.instances, strict=True)
        ]
        among, alone = self._at_most_one()
        return [*terms.definitions, *among], [*conjuncts, *alone, *self._next_state(terms)]

    def _at_most_one(self) -> tuple[list[str], list[str]]:
        definitions, conjuncts = [], []
        earlier = "false"
        for index, taken in enumerate(self.taken):
            conjuncts.append(f"(not (and {earlier} {taken}))")
            among = f"|one of the first {index + 1}{NOW}|"
            definitions.append(f"(define-fun {among} () Bool (or {earlier} {taken}))")
            earlier = among
        return definitions, conjuncts

    def _next_state(self, terms: _Terms) -> Iterator[str]:
        writers: dict[FNode, list[tuple[str, Instance]]] = {}
        for taken, instance in zip(self.taken, self.system.instances, strict=True):
            for symbol in instance.updates:
                writers.setdefault(symbol, []).append((taken, instance))
        for symbol in self.system.bits:
            value = bit_name(symbol)
            for taken, instance in reversed(writers.get(symbol, [])):
                value = f"(ite {taken} {terms.text[instance.updates[symbol]]} {value})"
            yield f"(= {bit_name(symbol).replace(NOW, NEXT)} {value})"


def bit_name(symbol: FNode) -> str:
    """The name of a bit, between bars."""
    return f"|{clean(symbol.symbol_name())}{NOW}|"


class _Terms:
    """The text of terms, where each subterm that is used more than once gets a name of its own."""

    def __init__(self, prefix: str, roots: Sequence[FNode]) -> None:
        self.text: dict[FNode, str] = {}
        self.definitions: list[str] = []
        order, uses = in_order(roots)
        for node in order:
            text = self._text(node)
            if uses[node] > 1 and node.args():
                name = f"|{prefix} {len(self.definitions)}{NOW}|"
                self.definitions.append(f"(define-fun {name} () Bool {text})")
                text = name
            self.text[node] = text

    def _text(self, node: FNode) -> str:
        kind = node.node_type()
        if kind == SYMBOL:
            return bit_name(node)
        if kind == BOOL_CONSTANT:
            return "true" if node.constant_value() else "false"
        return f"({_OPERATORS[kind]} {' '.join(self.text[argument] for argument in node.args())})"
