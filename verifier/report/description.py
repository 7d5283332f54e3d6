"""The description of a protocol as plain data; ``verify show`` prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from pysmt.fnode import FNode

from verifier.clauses.unrolling import Steps, unroll
from verifier.encodings.bits import subterms
from verifier.encodings.layout import Layout
from verifier.encodings.printing import text
from verifier.encodings.sorts import Enum, sorts_in
from verifier.encodings.terms import Symbol
from verifier.specs.definition import Definition
from verifier.specs.expectations import expectations
from verifier.specs.targets import find_assigned_variable
from verifier.system.declared_symmetry import check_symmetry
from verifier.system.model import Model
from verifier.system.size import bits_of, instance_count, instances_of

_QUICKLY_BUILT = 20_000
"""Bits of the state, and instances of actions, up to which building takes no more than seconds."""


_DOMINATES = 3
"""A component is named if it is at least this fraction of a size."""


def is_quickly_built(definition: Definition) -> bool:
    """True if the transition system is small enough to be built for a description."""
    bits = sum(bits_of(symbol.sort) for symbol in definition.variables)
    return bits <= _QUICKLY_BUILT and instance_count(definition) <= _QUICKLY_BUILT


def describe(definition: Definition, model: Model | None) -> dict[str, Any]:
    """The description of a protocol at its constants. Without its model, sizes are estimates."""
    presentation = definition.presentation
    variables, actions = _variables(definition, model), _actions(definition, model)
    bound = definition.constraint
    return {
        "spec": definition.name,
        "spec_hash": definition.spec_hash,
        "description": presentation.description,
        "source": presentation.source,
        "default_depth": presentation.default_depth,
        "constants": [asdict(constant) for constant in presentation.constants],
        "variables": variables,
        "enumerations": [
            {"name": enum.name, "members": list(enum.members)} for enum in _enumerations(definition)
        ],
        "actions": actions,
        "properties": [
            {"name": p.name, "kind": p.kind.value, "default": p.default, "description": p.description}
            for p in definition.properties
        ],
        "lemmas": [{"name": lemma.name, "description": lemma.description} for lemma in definition.lemmas],
        "temporal": [
            {"name": p.name, "says": str(p.formula), "default": p.default, "description": p.description}
            for p in definition.temporal
        ],
        "fairness": [
            {"name": variant.name, "conditions": list(map(str, variant.conditions))}
            for variant in definition.fairness
        ],
        "constraint": None if bound is None else text(bound),
        "symmetry": [
            {"index_set": str(symmetry.sort), "pinned": sorted(map(str, symmetry.pinned))}
            for symmetry in check_symmetry(definition)
        ],
        "encoding": _encoding(definition, model),
        "largest": {"bits": _largest(variables, "bits"), "instances": _largest(actions, "instances")},
        "expectations": len(expectations(definition.name)),
    }


def _largest(items: Sequence[Mapping[str, Any]], what: str) -> list[dict[str, Any]]:
    """The items that make up most of a size. Of several of about the same size none does."""
    total = sum(item[what] for item in items)
    large = [item for item in items if item[what] * _DOMINATES >= total > 0 and len(items) > 1]
    large.sort(key=lambda item: -int(item[what]))
    return [{"name": item["name"], what: item[what]} for item in large]


def _variables(definition: Definition, model: Model | None) -> list[dict[str, Any]]:
    def bits(symbol: Symbol) -> int:
        return bits_of(symbol.sort) if model is None else len(Layout({symbol.name: symbol.sort}).bits)

    assigned = {find_assigned_variable(target) for action in definition.actions for target, _ in action.then}
    return [
        {
            "name": symbol.name,
            "sort": str(symbol.sort),
            "bits": bits(symbol),
            "assigned": symbol in assigned,
        }
        for symbol in definition.variables
    ]


def _enumerations(definition: Definition) -> list[Enum]:
    """The enumerations in the sorts of variables and parameters."""
    sorts = [symbol.sort for symbol in definition.variables]
    sorts += [sort for action in definition.actions for sort in action.sorts.values()]
    parts = chain.from_iterable(map(sorts_in, sorts))
    return list(dict.fromkeys(part for part in parts if isinstance(part, Enum)))


def _actions(definition: Definition, model: Model | None) -> list[dict[str, Any]]:
    counts = {action.name: instances_of(action) for action in definition.actions}
    if model is not None:
        counts = dict(Counter(instance.action for instance in model.system.instances))
    return [
        {
            "name": action.name,
            "parameters": [
                {
                    "name": parameter.symbol.name,
                    "sort": str(parameter.symbol.sort),
                    "free": parameter.free,
                    "left_open": parameter.left_open,
                }
                for parameter in action.parameters
            ],
            "instances": counts.get(action.name, 0),
            "changes": bool(action.then),
            "description": action.description,
        }
        for action in definition.actions
    ]


def _encoding(definition: Definition, model: Model | None) -> dict[str, Any]:
    """The size of the transition system. What is not built has estimates, and null for the rest."""
    if model is None:
        return {
            "estimated": True,
            "bits": sum(bits_of(symbol.sort) for symbol in definition.variables),
            "leaves": None,
            "instances": instance_count(definition),
            "nodes": None,
            "clauses_per_step": None,
        }
    system = model.system
    terms: list[FNode] = [system.init, *(prop.formula for prop in system.properties)]
    for instance in system.instances:
        terms += [instance.guard, *instance.updates.values()]
    clauses = {}
    for steps in Steps:
        made = unroll(system, steps, symmetry=True)
        clauses[steps.value] = len(made.state) + len(made.relation)
    return {
        "estimated": False,
        "bits": len(system.bits),
        "leaves": len(system.leaves),
        "instances": len(system.instances),
        "nodes": sum(1 for _ in subterms(terms)),
        "clauses_per_step": clauses,
    }
