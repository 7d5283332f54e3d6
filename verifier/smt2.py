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

from verifier.model import Model
from verifier.system import Instance, TransitionSystem

_NOW, _NEXT = "@\u0001", "@\u0002"
"""Stand for the numbers of a state and of the next one, until the text of one step is copied."""
_OPERATORS = {AND: "and", OR: "or", NOT: "not", IFF: "=", ITE: "ite", IMPLIES: "=>"}


def dump(model: Model, properties: Sequence[str], depth: int) -> str:
    """A script whose assertions have a model exactly when an execution of at most ``depth`` actions
    violates one of the properties, or reaches a reachable one."""
    writer = _Writer(model.system, properties)
    state, step = "\n".join(writer.state()), "\n".join(writer.step())
    lines = [*_preamble(model, properties, depth), *_at(writer.declarations(), 0), *_at([state], 0)]
    lines += _at(writer.initial(), 0)
    for number in range(depth):
        lines += _at([step], number)
        lines += [f"; state {number + 1}", *_at([state], number + 1)]
    held = (f"|holds {name}{_NOW}|" for name in map(_clean, properties))
    every = [literal.replace(_NOW, f"@{number}") for literal in held for number in range(depth + 1)]
    question = f"(assert (not (and true {' '.join(every)})))"
    return "\n".join([*lines, "; some property fails in some state", question, "(check-sat)"]) + "\n"


def define(model: Model, formulas: Mapping[str, FNode]) -> str:
    """Formulas over the bits of one state as definitions, and their conjunction as ``invariant``."""
    terms = _Terms("term", tuple(formulas.values()))
    lines = [f"(declare-fun {_bit(symbol)} () Bool)" for symbol in model.system.bits]
    lines += terms.definitions
    names = [f"|{_clean(name)}|" for name in formulas]
    lines += (
        f"(define-fun {name} () Bool {terms.text[formula]})"
        for name, formula in zip(names, formulas.values(), strict=True)
    )
    lines.append(f"(define-fun invariant () Bool (and true {' '.join(names)}))")
    return "\n".join(lines).replace(_NOW, "")


def _preamble(model: Model, properties: Sequence[str], depth: int) -> list[str]:
    definition = model.definition
    constants = ", ".join(f"{name}={value}" for name, value in definition.constants.items())
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
    return (line.replace(_NOW, f"@{number}").replace(_NEXT, f"@{number + 1}") for line in lines)


def _clean(name: str) -> str:
    """A name as it may stand between bars."""
    return re.sub(r"[|\\]", "!", name)


class _Writer:
    def __init__(self, system: TransitionSystem, properties: Sequence[str]) -> None:
        self.system = system
        self.properties = {name: system.property_named(name).formula for name in properties}
        self.taken = [f"|take {_clean(instance.label)}{_NOW}|" for instance in system.instances]

    def declarations(self) -> list[str]:
        """The bits of a state."""
        return [f"(declare-fun {_bit(symbol)} () Bool)" for symbol in self.system.bits]

    def initial(self) -> list[str]:
        """That state 0 is an initial state."""
        terms = _Terms("initial", (self.system.init,))
        return [*terms.definitions, f"(assert {terms.text[self.system.init]})"]

    def state(self) -> list[str]:
        """What each property says of a state."""
        terms = _Terms("state", tuple(self.properties.values()))
        named = (
            f"(define-fun |holds {_clean(name)}{_NOW}| () Bool {terms.text[formula]})"
            for name, formula in self.properties.items()
        )
        return [*terms.definitions, *named]

    def step(self) -> list[str]:
        """One step: at most one instance is taken; it must be enabled, and decides the next state."""
        instances = self.system.instances
        terms = _Terms("step", [term for i in instances for term in (i.guard, *i.updates.values())])
        lines = [f"; step from state {_NOW.removeprefix('@')}"]
        lines += (line.replace(_NOW, _NEXT) for line in self.declarations())
        lines += (f"(declare-fun {_bit(s)} () Bool)" for i in self.system.instances for s in i.inputs)
        lines += (f"(declare-fun {taken} () Bool)" for taken in self.taken)
        lines += terms.definitions
        lines += (
            f"(assert (=> {taken} {terms.text[instance.guard]}))"
            for taken, instance in zip(self.taken, self.system.instances, strict=True)
        )
        return [*lines, *self._at_most_one(), *self._next_state(terms)]

    def _at_most_one(self) -> Iterator[str]:
        earlier = "false"
        for index, taken in enumerate(self.taken):
            yield f"(assert (not (and {earlier} {taken})))"
            among = f"|one of the first {index + 1}{_NOW}|"
            yield f"(define-fun {among} () Bool (or {earlier} {taken}))"
            earlier = among

    def _next_state(self, terms: _Terms) -> Iterator[str]:
        writers: dict[FNode, list[tuple[str, Instance]]] = {}
        for taken, instance in zip(self.taken, self.system.instances, strict=True):
            for symbol in instance.updates:
                writers.setdefault(symbol, []).append((taken, instance))
        for symbol in self.system.bits:
            value = _bit(symbol)
            for taken, instance in reversed(writers.get(symbol, [])):
                value = f"(ite {taken} {terms.text[instance.updates[symbol]]} {value})"
            yield f"(assert (= {_bit(symbol).replace(_NOW, _NEXT)} {value}))"


def _bit(symbol: FNode) -> str:
    return f"|{_clean(symbol.symbol_name())}{_NOW}|"


class _Terms:
    """The text of terms, where each subterm that is used more than once gets a name of its own."""

    def __init__(self, prefix: str, roots: Sequence[FNode]) -> None:
        self.text: dict[FNode, str] = {}
        self.definitions: list[str] = []
        order, uses = _in_order(roots)
        for node in order:
            text = self._text(node)
            if uses[node] > 1 and node.args():
                name = f"|{prefix} {len(self.definitions)}{_NOW}|"
                self.definitions.append(f"(define-fun {name} () Bool {text})")
                text = name
            self.text[node] = text

    def _text(self, node: FNode) -> str:
        kind = node.node_type()
        if kind == SYMBOL:
            return _bit(node)
        if kind == BOOL_CONSTANT:
            return "true" if node.constant_value() else "false"
        return f"({_OPERATORS[kind]} {' '.join(self.text[argument] for argument in node.args())})"


def _in_order(roots: Sequence[FNode]) -> tuple[list[FNode], Mapping[FNode, int]]:
    """All nodes, each after its arguments, and how often each is used."""
    order: list[FNode] = []
    uses: dict[FNode, int] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, finished = stack.pop()
        if finished:
            order.append(node)
            continue
        uses[node] = uses.get(node, 0) + 1
        if uses[node] == 1:
            stack.append((node, True))
            stack.extend((argument, False) for argument in reversed(node.args()))
    return order, uses
