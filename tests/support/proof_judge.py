"""A second judge of proofs: it visits all reachable states, and asks Z3.

Z3 is asked through pySMT's own translation, about all bits before and after, without any clauses of ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

from pysmt import shortcuts as smt
from pysmt.fnode import FNode

from tests.support import explicit
from verifier.encodings.bits import ENVIRONMENT
from verifier.encodings.evaluator import Evaluator
from verifier.specs.definition import PropertyKind
from verifier.specs.titles import TYPED
from verifier.system.model import Model
from verifier.system.transition_system import Instance
from verifier.trust.certificate import Certificate


@dataclass
class Judge:
    """Judges certificates of one model."""

    model: Model
    _reachable: list[int] = field(default_factory=list)
    _renamings: dict[int, dict[FNode, FNode]] = field(default_factory=dict)
    _steps: dict[tuple[str, int], FNode] = field(default_factory=dict)

    def faults(self, proof: Certificate) -> list[str]:
        """Why the certificate is no proof; nothing if it is one."""
        with ENVIRONMENT:
            return self._faults(proof)

    def _faults(self, proof: Certificate) -> list[str]:
        parts, goals = self._parts(proof), self._goals(proof)
        found = [f"a reachable state violates {name}" for name in self._find_violated({**parts, **goals})]
        if proof.k > 1:
            parts = {name: part for name, part in parts.items() if name not in goals}
            found += self._not_k_inductive(proof.k, smt.And(parts.values()), smt.And(goals.values()))
        else:
            found += [f"it does not imply {name}" for name in goals if self._apart(parts, goals[name])]
        return found + self._not_inductive(smt.And(parts.values()))

    def _parts(self, proof: Certificate) -> dict[str, FNode]:
        """The conjuncts, looked up and made here."""
        system = self.model.system
        named = {lemma.name: lemma.formula for lemma in system.lemmas} | {TYPED: system.valid}
        named |= {prop.name: prop.formula for prop in system.properties}
        parts = {TYPED: system.valid, **{name: named[name] for name in proof.lemmas}}
        for number, clause in enumerate(proof.clauses):
            literals = [smt.Symbol(name) if on else smt.Not(smt.Symbol(name)) for name, on in clause]
            parts[f"clause {number}"] = smt.Or(literals)
        return parts

    def _goals(self, proof: Certificate) -> dict[str, FNode]:
        kind = PropertyKind.TYPE_INVARIANT
        return {
            prop.name: prop.formula
            for prop in self.model.system.properties
            if prop.kind is kind or prop.name == proof.property_name
        }

    def reachable(self) -> list[int]:
        """All reachable states, each as an integer of its bits."""
        if not self._reachable:
            reader = explicit._Reader(self.model)
            level = explicit.initial_states(self.model)
            seen = set(level)
            while level:
                columns, mask = reader.columns(level), (1 << len(level)) - 1
                following = {
                    state for _, states in reader.successors(level, columns, mask) for state in states
                }
                level = sorted(following - seen)
                seen.update(level)
            self._reachable = sorted(seen)
        return self._reachable

    def _find_violated(self, parts: dict[str, FNode]) -> list[str]:
        states = self.reachable()
        columns = explicit._Reader(self.model).columns(states)
        everywhere = (1 << len(states)) - 1
        holds = Evaluator(self.model.system.bits, list(parts.values()))(columns, everywhere)
        return [name for name, where in zip(parts, holds, strict=True) if where != everywhere]

    def _apart(self, parts: dict[str, FNode], goal: FNode) -> bool:
        return bool(smt.is_sat(smt.And(*parts.values(), smt.Not(goal)), solver_name="z3"))

    def _at(self, formula: FNode, time: int) -> FNode:
        """A formula about the state at that time; at time 0 the bits are the system's own."""
        if time not in self._renamings:
            bits = (*self.model.system.bits, *(b for i in self.model.system.instances for b in i.inputs))
            self._renamings[time] = {bit: smt.Symbol(f"{bit.symbol_name()} @{time}") for bit in bits}
        if formula.is_symbol() and time:
            return self._renamings[time][formula]
        return smt.substitute(formula, self._renamings[time]) if time else formula

    def _make_step(self, instance: Instance, time: int) -> FNode:
        """Return the formula that one instance leads from one time to the next; other variables stay."""
        key = (instance.label, time)
        if key not in self._steps:
            after = [
                smt.Iff(self._at(bit, time + 1), self._at(instance.updates.get(bit, bit), time))
                for bit in self.model.system.bits
            ]
            self._steps[key] = smt.And(self._at(instance.guard, time), *after)
        return self._steps[key]

    def _not_inductive(self, invariant: FNode) -> list[str]:
        broken = []
        with smt.Solver("z3") as solver:
            solver.add_assertion(self._at(invariant, 0))
            solver.add_assertion(smt.Not(self._at(invariant, 1)))
            for instance in self.model.system.instances:
                solver.push()
                solver.add_assertion(self._make_step(instance, 0))
                if solver.solve():
                    broken.append(f"{instance.label} breaks it")
                solver.pop()
        return broken

    def _not_k_inductive(self, k: int, within: FNode, goal: FNode) -> list[str]:
        bits = self.model.system.bits
        path = [self._at(within, time) for time in range(k + 1)]
        path += [self._at(goal, time) for time in range(k)]
        path += [
            smt.Or([self._make_step(instance, time) for instance in self.model.system.instances])
            for time in range(k)
        ]
        path += [
            smt.Or([smt.Xor(self._at(bit, one), self._at(bit, other)) for bit in bits])
            for one, other in combinations(range(k + 1), 2)
        ]
        fails = smt.And(*path, smt.Not(self._at(goal, k)))
        return [f"it is not {k}-inductive"] if smt.is_sat(fails, solver_name="z3") else []
