"""The description of a protocol as plain data; ``verify show`` prints it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pysmt.fnode import FNode

from verifier.clauses.unrolling import Steps, unroll
from verifier.encodings.printing import text
from verifier.specs.expectations import expectations
from verifier.system.model import Model


def describe(model: Model) -> dict[str, Any]:
    """The description of a protocol at its constants."""
    definition = model.definition
    presentation = definition.presentation
    bound = definition.constraint
    return {
        "spec": definition.name,
        "spec_hash": definition.spec_hash,
        "description": presentation.description,
        "source": presentation.source,
        "default_depth": presentation.default_depth,
        "constants": [asdict(constant) for constant in presentation.constants],
        "variables": [{"name": symbol.name, "sort": str(symbol.sort)} for symbol in definition.variables],
        "actions": _actions(model),
        "properties": [
            {"name": p.name, "kind": p.kind.value, "default": p.default, "description": p.description}
            for p in definition.properties
        ],
        "lemmas": [{"name": lemma.name, "description": lemma.description} for lemma in definition.lemmas],
        "constraint": None if bound is None else text(bound),
        "symmetry": [
            {"index_set": str(symmetry.sort), "pinned": sorted(map(str, symmetry.pinned))}
            for symmetry in model.system.symmetries
        ],
        "encoding": _encoding(model),
        "expectations": len(expectations(definition.name)),
    }


def _actions(model: Model) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    for instance in model.system.instances:
        counts[instance.action] = counts.get(instance.action, 0) + 1
    return [
        {
            "name": action.name,
            "parameters": [
                {"name": parameter.symbol.name, "sort": str(parameter.symbol.sort), "free": parameter.free}
                for parameter in action.parameters
            ],
            "instances": counts.get(action.name, 0),
            "description": action.description,
        }
        for action in model.definition.actions
    ]


def _encoding(model: Model) -> dict[str, Any]:
    system = model.system
    terms: list[FNode] = [system.init, *(prop.formula for prop in system.properties)]
    for instance in system.instances:
        terms += [instance.guard, *instance.updates.values()]
    clauses = {}
    for steps in Steps:
        made = unroll(system, steps, symmetry=True)
        clauses[steps.value] = len(made.state) + len(made.relation)
    return {
        "bits": len(system.bits),
        "leaves": len(system.leaves),
        "instances": len(system.instances),
        "nodes": _node_count(terms),
        "clauses_per_step": clauses,
    }


def _node_count(roots: Iterable[FNode]) -> int:
    seen: set[FNode] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(node.args())
    return len(seen)
