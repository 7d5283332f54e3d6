"""Assignments of a step as branches: ``x' = e``, ``x' \\in S`` and ``UNCHANGED e``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.translate.assigned_variables import variables
from verifier.tla.translate.branches import Branch, Guarding
from verifier.tla.translate.builtins import compare_values
from verifier.tla.translate.connectives import and_
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.evaluating import translate_assigned_value
from verifier.tla.translate.kinds import expect_kind
from verifier.tla.translate.making import equals
from verifier.tla.translate.spreading import spread
from verifier.tla.translate.spreading_once import spread_once
from verifier.tla.translate.strict_reading import reads
from verifier.tla.translate.symbolic import NO, YES, Nothing
from verifier.tla.translate.terms import variable


class Assigning(Guarding):
    """Continues branches by assignments."""

    def _assign(
        self, name: str, to: ast.Variable, right: Expression, c: Context, branch: Branch
    ) -> Iterator[Branch]:
        self.t.assigned = branch.assigned
        value = translate_assigned_value(self.t, right, c)
        value = expect_kind(self.t, value, "set") if name == "\\in" else value
        if isinstance(value, Nothing):
            yield from self._add_guard(value, branch)
            return
        read = reads(self.t, value)
        if read is not YES:
            if name == "\\in":
                yield from self._add_guard(and_(self.t, [read, NO]), branch)
            branch = replace(branch, guards=(*branch.guards, read))
        if to in branch.assigned:
            old = branch.assigned[to]
            test = compare_values(self.t, old, value) if name == "=" else self.t.member_of(value, old)
            yield from self._add_guard(test, branch)
            return
        if name == "=":
            yield replace(branch, assigned={**branch.assigned, to: value})
            return
        name, once = f"{to.name}'", self.each_way
        for case in spread_once(self.t, value, name, right.place) if once else spread(self.t, value, name):
            self._count(right)
            parameter = (f"{to.name}'", case.item, case.symbol)
            made = replace(
                branch,
                parameters=(*branch.parameters, parameter),
                assigned={**branch.assigned, to: case.item},
            )
            yield from self._guard_all([case], made)

    def _assign_unchanged(self, body: Expression, c: Context, branch: Branch) -> Iterator[Branch]:
        unchanged = variables(self.t.evaluator, body, c)
        if unchanged is None:
            self.t.assigned = branch.assigned
            yield from self._add_guard(
                equals(self.t, self.t.value(body, c), self.t.value(body, replace(c, primed=True))), branch
            )
            return
        assigned, tests = dict(branch.assigned), []
        for one in unchanged:
            now = self.t.own[one] if one in self.t.own else variable(self.t.variables[one])
            if one in assigned:
                tests.append(equals(self.t, assigned[one], now))
            else:
                assigned[one] = now
        yield from self._add_guard(and_(self.t, tests), replace(branch, assigned=assigned))
