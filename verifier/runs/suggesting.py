"""Suggestions of lemmas that a proof for all constants may lack: clauses of IC3 at small constants,
generalised.

Each suggestion is the text of a lemma. That text is checked: it is read as a method of the protocol.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from textwrap import dedent
from typing import Any

import verifier
from verifier.encodings.terms import Term
from verifier.engines.choices import EngineChoice
from verifier.engines.prove import Request, check
from verifier.engines.provers import find_inductive_lemmas
from verifier.errors import UsageError
from verifier.parametric.assumed import is_satisfied
from verifier.parametric.lifted import Lifted, Lifter, method
from verifier.parametric.protocol_readings import ParametricReading, read_for_all
from verifier.parametric.proving import Proofs, prove
from verifier.parametric.results import place_of
from verifier.parametric.system import ParametricSystem
from verifier.processes.limits import Interrupted, Limits
from verifier.runs.building import build_model
from verifier.runs.guard_lemmas import Formula
from verifier.specs.constants import IndexSetConstant, constants_of
from verifier.specs.definition import DefinitionError
from verifier.specs.members import LemmaMember
from verifier.specs.names import claim_title
from verifier.specs.protocol import Protocol, define
from verifier.system.model import Model
from verifier.verdict import VerdictKind

Pair = tuple[str, "str | Formula"]
"""A name, and the text of its formula, or a method that gives it."""
_MOST = 120
"""The limit of formulas that are checked at small constants, the shortest first."""
_ATTEMPTS = 3
"""A proof that is tried may take this part of the remaining time, because other formulas may be better."""
_ROUNDS = 6
"""The limit of proofs that are tried; before each, lemmas that are not preserved are removed."""
_WHY = "Suggested: found at small constants; the actions preserve it at all constants."


class _Violated(Exception):
    """Raised for a property that is false at small constants: no lemmas help."""


def write_lemmas(pairs: Sequence[Pair]) -> list[str]:
    """Return lemmas as texts to paste into a Python protocol."""
    return [method(name, formula, _WHY) for name, formula in pairs if isinstance(formula, str)]


def lemma_terms(kind: type[Protocol], pairs: Sequence[Pair], constants: Mapping[str, Any]) -> dict[str, Term]:
    """Return the formulas of lemmas, with traced constants, by name."""
    definition = read_for_all(_with(kind, pairs), constants).definition
    names = {claim_title(kind, name, None) for name, _ in pairs}
    return {lemma.name: lemma.formula for lemma in definition.lemmas if lemma.name in names}


def find_lemmas(
    kind: type[Protocol],
    reading: ParametricReading,
    property_name: str,
    at: Sequence[Mapping[str, Any]],
    limits: Limits,
    candidates: Sequence[Formula] = (),
    between: Sequence[Mapping[str, Any]] = (),
) -> list[Pair]:
    """Return lemmas with which the property is proved for all constants. They are found at the first of these
    constants, or at all of them; there may be none. ``candidates``: formulas that may help. ``between``:
    constants after the first at which IC3 searches too."""
    own = list(zip(_free_names(kind, "suggested_guard"), candidates, strict=False))
    kept: list[Pair] = list(own)
    for constants in at:
        kept = _keep_inductive(kind, kept, property_name, constants, limits)
    formulas = dict[str, bool]()
    for place, constants in enumerate([*at[:1], *between, *at[1:]]):
        known = len(formulas)
        try:
            for one in _find_by_ic3(_with(kind, kept), reading, property_name, constants, limits):
                formulas.setdefault(one.text, one.is_split)
        except _Violated:
            return []
        if len(formulas) == known and (place or not kept):
            continue
        plain = [text for text, is_split in formulas.items() if not is_split]
        for some in (plain, list(formulas)) if len(plain) < len(formulas) else (plain,):
            shown = choose_helping(kind, reading, own, some[:_MOST], property_name, at, limits)
            if shown:
                return shown
    return []


def choose_helping(
    kind: type[Protocol],
    reading: ParametricReading,
    own: Sequence[Pair],
    formulas: Sequence[str],
    property_name: str,
    at: Sequence[Mapping[str, Any]],
    limits: Limits,
) -> list[Pair]:
    """Return the formulas with which the proof succeeds; none if it fails. ``own``: those with names, such as
    those of the protocol's text."""
    kept: list[Pair] = [*own, *zip(_free_names(kind, "suggested"), formulas, strict=False)]
    for constants in at:
        kept = _keep_inductive(kind, kept, property_name, constants, limits)
    fewest = _fewest(kind, kept, property_name, at, limits)
    if fewest is None:
        return []
    with_sorts = None
    if reading.claims_sorts and len(fewest) < len(kept):
        with_sorts = _fewest(kind, kept, property_name, at, limits, with_sorts=True)
    for pairs in _list_shorter(with_sorts or fewest, fewest, kept):
        shown = _keep_needed(kind, reading, pairs, property_name, limits)
        if shown:
            return shown
    return []


def _free_names(kind: type[Protocol], stem: str) -> Iterator[str]:
    """Yield names with numbers that the protocol lacks: it may have the lemmas of an earlier suggestion."""
    return (name for number in count(1) if not hasattr(kind, name := f"{stem}_{number}"))


def _list_shorter(*each: list[Pair]) -> list[list[Pair]]:
    """Return lists of formulas without those that are as long as one before."""
    return [one for place, one in enumerate(each) if all(len(one) != len(other) for other in each[:place])]


def _keep_needed(
    kind: type[Protocol],
    reading: ParametricReading,
    pairs: Sequence[Pair],
    property_name: str,
    limits: Limits,
) -> list[Pair]:
    """Return the formulas that a proof for all constants needs and that are preserved; none if it fails."""
    left = list(pairs)
    for _ in range(_ROUNDS):
        if not left:
            return []
        more = replace(
            read_for_all(_with(kind, left), dict(reading.constants)), claims_sorts=reading.claims_sorts
        )
        proof = prove(Proofs.of(more), property_name, limits.share(_ATTEMPTS))
        titled = {claim_title(kind, name, None): (name, formula) for name, formula in left}
        if proof.proved:
            return [titled[name] for name in proof.needed if name in titled]
        dropped = {place_of(one.name)[1] for one in proof.open} & titled.keys()
        if proof.limit is not None or not dropped:
            return []
        left = [pair for title, pair in titled.items() if title not in dropped]
    return []


def _fewest(
    kind: type[Protocol],
    pairs: Sequence[Pair],
    property_name: str,
    at: Sequence[Mapping[str, Any]],
    limits: Limits,
    *,
    with_sorts: bool = False,
) -> list[Pair] | None:
    """Return few formulas with which the property is inductive at all constants; None if it is not so with
    all of them. Many are removed at once first, and long ones before short ones. ``with_sorts``: also that no
    action leaves a sort, which a proof about a module needs."""
    models = [_model(_with(kind, pairs), constants, limits) for constants in at]

    def suffice(some: Sequence[Pair]) -> bool:
        names = {claim_title(kind, name, None) for name, _ in pairs} - {
            claim_title(kind, name, None) for name, _ in some
        }
        return all(m is not None and wanted(m) <= {*_leave_out(m, names, property_name)} for m in models)

    def wanted(model: Model) -> set[str]:
        return {property_name, *(one.name for one in model.system.implied if with_sorts)}

    left = list(pairs)
    if not suffice(left):
        return None
    step = len(left) // 2
    while step and suffice(left):
        for first in range(len(left) - step, -1, -step):
            rest = left[:first] + left[first + step :]
            if suffice(rest):
                left = rest
        step //= 2
    return left


def _leave_out(model: Model, names: Collection[str], property_name: str) -> Collection[str]:
    """Return the claims that are inductive together without some lemmas."""
    lemmas = tuple(lemma for lemma in model.system.lemmas if lemma.name not in names)
    fewer = replace(model, system=replace(model.system, lemmas=lemmas))
    return find_inductive_lemmas(fewer, property_name).names


def _find_by_ic3(
    kind: type[Protocol],
    reading: ParametricReading,
    property_name: str,
    constants: Mapping[str, Any],
    limits: Limits,
) -> Iterator[Lifted]:
    """Yield IC3's clauses at these constants, generalised: with the lemmas that are preserved there, or
    without them. Raises _Violated if the property is, and the proof would be about these constants."""
    model = _model(kind, constants, limits)
    if model is None:
        return
    sorts = {variable.name: variable.sort for variable in reading.definition.variables}
    lifter = Lifter(model.layout, sorts, _index_sets(kind))
    for lemmas in (True, False):
        request = Request((property_name,), EngineChoice.IC3, None, limits, lemmas, False, False)
        outcome = check(model, request)
        is_false = any(verdict.kind is VerdictKind.VIOLATED for verdict in outcome.verdicts)
        if is_false and all(is_satisfied(said, constants) for said in reading.assumptions):
            raise _Violated
        clauses = [clause for proof in outcome.proofs for clause in proof.certificate.clauses]
        if clauses:
            yield from lifter.lift(clauses)
            return


def _keep_inductive(
    kind: type[Protocol],
    pairs: Sequence[Pair],
    property_name: str,
    constants: Mapping[str, Any],
    limits: Limits,
) -> list[Pair]:
    """Return the formulas that all actions preserve at these constants, together with the lemmas and the
    property."""
    fitting = readable(kind, pairs, constants)
    model = _model(_with(kind, fitting), constants, limits)
    if model is None:
        return fitting
    names = find_inductive_lemmas(model, property_name).names
    return [pair for pair in fitting if claim_title(kind, pair[0], None) in names]


def readable(kind: type[Protocol], pairs: Sequence[Pair], constants: Mapping[str, Any]) -> list[Pair]:
    """Return the formulas that have a meaning in both readings. All are tried together first."""
    if _is_read(kind, pairs, constants):
        return list(pairs)
    half = len(pairs) // 2
    if not half:
        return []
    return [*readable(kind, pairs[:half], constants), *readable(kind, pairs[half:], constants)]


def _is_read(kind: type[Protocol], pairs: Sequence[Pair], constants: Mapping[str, Any]) -> bool:
    try:
        define(_with(kind, pairs)(constants))
        reading = read_for_all(_with(kind, pairs), constants)
        system = ParametricSystem(reading.definition, reading.claims_sorts)
        for name, _ in pairs:
            system.formula(claim_title(kind, name, None), system.before)
    except (UsageError, DefinitionError, AttributeError, TypeError):
        return False
    return True


def _with(kind: type[Protocol], pairs: Sequence[Pair]) -> type[Protocol]:
    """Return the protocol with lemmas of these names and formulas."""
    members: dict[str, Any] = {"name": kind.spec_name()}
    for name, formula in pairs:
        if not isinstance(formula, str):
            members[name] = LemmaMember(formula, None)
            continue
        text = dedent(method(name, formula, _WHY))
        exec(compile(text, f"<{name}>", "exec"), _words(), members)
    made: type[Protocol] = type(kind.__name__, (kind,), members)
    return made


def _words() -> dict[str, Any]:
    """Return the names that a formula uses."""
    return {name: getattr(verifier, name) for name in ("forall", "lemma", "Range")}


def _model(kind: type[Protocol], constants: Mapping[str, Any], limits: Limits) -> Model | None:
    """Return the model at these constants; None if they are not allowed together or the time is over."""
    try:
        return build_model(define(kind(dict(constants))), limits)
    except (UsageError, DefinitionError, Interrupted):
        return None


def _index_sets(kind: type[Protocol]) -> dict[str, str]:
    """Return the name of the constant of each index set, by the set's name."""
    protocol = kind()
    names = (name for name, constant in constants_of(kind).items() if isinstance(constant, IndexSetConstant))
    return {getattr(protocol, name).name: name for name in names}
