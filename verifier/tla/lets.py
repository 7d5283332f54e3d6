"""LET: definitions for one expression, evaluated when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.core import Core, Source
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.frames import Code, Frame, Undefined, Unit


class Lets(Core):
    """Compiles LET."""

    def let(
        self,
        whole: ast.Let,
        unit: Unit,
        primed: bool,
        source: Callable[[Expression, Unit, bool], Source],
    ) -> Source:
        """Definitions for one expression."""
        entries = self.entries(whole, unit, primed)
        body = source(whole.body, unit, primed)
        if not entries:
            return body
        put = [f"e[{slot}] = Waiting({self.emit.bound(code)}, e)" for slot, code in entries]
        return self.emit.statements([*put, f"return {body}"])

    def entries(self, whole: ast.Let, unit: Unit, primed: bool) -> list[tuple[int, Code]]:
        """What a LET puts into the frame: its definitions without parameters, to be evaluated when needed."""
        found = []
        for definition in whole.definitions:
            self.at_of[definition] = tuple(self.at_slots)
            if definition.parameters or definition.body is None:
                continue
            facts = self.analysis.of_definition(definition)
            kept = facts.level < ACTION and not facts.changing and not primed
            constant = facts.level == CONSTANT and not facts.changing
            code = Code(definition.body, unit, kept, self.value, primed, constant, self.read_next)
            found.append((unit.slot(definition), code))
        return found

    def local(self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, truth: bool) -> Source:
        """A definition of a LET without parameters."""
        slot, name, place = unit.slot(symbol), symbol.name, whole.place
        known_primed = primed

        def read(e: Frame) -> Any:
            found = e[slot]
            try:
                return found.force_next() if known_primed else found.force()
            except Undefined as error:
                error.within(name, place)
                raise

        source = self.emit.call(read)
        if not primed:
            known = self.emit.fresh("t")
            source = f"({known} if ({known} := e[{slot}].value) is not UNSET else {source})"
        return self.truth_of(source, place) if truth else source
