"""LET: definitions for one expression, evaluated when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.core import Core
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.frames import Code, Frame, Undefined, Unit, Waiting


class Lets(Core):
    """Compiles LET."""

    def let(
        self,
        whole: ast.Let,
        unit: Unit,
        primed: bool,
        compile: Callable[[Expression, Unit, bool], Callable[[Frame], Any]],  # noqa: A002
    ) -> Callable[[Frame], Any]:
        """Definitions for one expression."""
        entries = self.entries(whole, unit, primed)
        body = compile(whole.body, unit, primed)
        if not entries:
            return body
        if len(entries) == 1:
            slot, code = entries[0]

            def with_one(e: Frame) -> Any:
                e[slot] = Waiting(code, e)
                return body(e)

            return with_one

        def with_all(e: Frame) -> Any:
            for slot, code in entries:
                e[slot] = Waiting(code, e)
            return body(e)

        return with_all

    def entries(self, whole: ast.Let, unit: Unit, primed: bool) -> list[tuple[int, Code]]:
        """What a LET puts into the frame: its definitions without parameters, to be evaluated when needed."""
        found = []
        for definition in whole.definitions:
            if definition.parameters or definition.body is None:
                continue
            facts = self.analysis.of_definition(definition)
            kept = facts.level < ACTION and not facts.changing and not primed
            constant = facts.level == CONSTANT and not facts.changing
            code = Code(definition.body, unit, kept, self.value, primed, constant, self.read_next)
            found.append((unit.slot(definition), code))
        return found

    def local(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, truth: bool
    ) -> Callable[[Frame], Any]:
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

        if not truth:
            return read

        return self.truth_of(read, place)
