"""Certificates: files with an inductive invariant of a protocol at its constants.

``verifier.trust.certify`` checks a certificate without the engine that found it. People can read it too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pysmt.fnode import FNode

from verifier.clauses import smt2
from verifier.encodings.bits import bit, disjunction, negation
from verifier.encodings.concrete import Concrete
from verifier.encodings.printing import text
from verifier.encodings.terms import Operator, Term
from verifier.errors import UsageError
from verifier.json_shape import check_shape
from verifier.specs.definition import Definition, Property, PropertyKind
from verifier.specs.temporal import TemporalProperty
from verifier.specs.titles import NO_DEADLOCK, TYPED
from verifier.system.fairness import conditions_named
from verifier.system.liveness import live_model
from verifier.system.liveness_to_safety import WHERE_LOOP_STARTS, loop_model
from verifier.system.model import Model
from verifier.system.ranking_model import NoRanking, ranking_model
from verifier.trust.certificate_file import Misfit as Misfit
from verifier.trust.certificate_file import digest_of as digest_of
from verifier.trust.certificate_file import json_of

FORMAT = "verify certificate 1"
_BEYOND_THE_PROTOCOL = {
    TYPED: ("the state is well formed", "Every field holds one value, and unused slots their default."),
    NO_DEADLOCK: ("an action is enabled", "In every reachable state something can happen."),
}
"""Conjuncts that are no lemmas of the protocol: the meaning of each, and the reason."""
MOST_K = 10_000
"""The limit of states on a path: longer than any along which a proof by k-induction was found."""
Literal = tuple[str, bool]
"""The name of a state bit, and whether the bit is set."""


@dataclass(frozen=True)
class FoundBy:
    """The engine and solver that found an invariant."""

    engine: str
    solver: str
    version: str


@dataclass(frozen=True)
class Certificate:
    """The claim that lemmas and clauses together are inductive and imply a property."""

    spec: str
    spec_hash: str
    constants: Mapping[str, Concrete]
    property_name: str
    lemmas: tuple[str, ...]
    """The names of lemmas and properties of the protocol. That bits hold a state is always part of the
    invariant."""
    clauses: tuple[tuple[Literal, ...], ...]
    found_by: FoundBy
    k: int = 1
    """If k is 1, the whole invariant is claimed to be inductive.

    If k is above 1, the invariant without the property and the type invariants is claimed to be inductive.
    The property and the type invariants are claimed to be k-inductive, along paths of different states that
    satisfy the rest of the invariant.
    """
    fairness: str | None = None
    """If the property is a temporal one: the fairness under which it holds. The invariant is then one of the
    model of loops (``verifier.system.liveness_to_safety``)."""
    ranking: bool = False
    """True if the invariant is one of the claims of the protocol's ranking of the temporal property
    (``verifier.system.ranking_model``), and not one of the model of loops."""
    single_steps: tuple[str, ...] = ()
    """If k is above 1: type invariants that are claimed to be inductive with the rest of the invariant."""
    beyond: tuple[Any, ...] = ()
    """For a TLA+ module: states that widened its sorts beyond those of its first states, as JSON. The proof
    holds at these sorts and shows that they are kept, so it does not matter whether the states are
    reachable."""
    own_sorts: bool = False
    """For a TLA+ module: True if intermediate values of assignments have sorts of their own, wider than those
    of the variables."""
    validation: Mapping[str, Any] | None = None
    """For a TLA+ module: the number of states and steps on which its translation was compared with it, and
    their seed."""


class _FoundByContent(TypedDict):
    engine: str
    solver: str
    version: str


class _ValidationContent(TypedDict):
    states: int
    steps: int
    seed: int


class _Content(TypedDict):
    """The required contents of a file. That its invariant and SMT-LIB text fit is found out by making
    them again."""

    spec: str
    spec_hash: str
    constants: dict[str, bool | int | str]
    property: str
    found_by: _FoundByContent
    k: int
    lemmas: list[str]
    clauses: list[list[tuple[str, bool]]]
    single_steps: NotRequired[list[str]]
    fairness: NotRequired[str]
    ranking: NotRequired[bool]
    beyond: NotRequired[list[Any]]
    own_sorts: NotRequired[bool]
    validation: NotRequired[_ValidationContent]


def certificate_of(
    model: Model,
    property_name: str,
    lemmas: tuple[str, ...],
    clauses: tuple[tuple[Literal, ...], ...],
    found_by: FoundBy,
    k: int = 1,
    fairness: str | None = None,
    ranking: bool = False,
) -> Certificate:
    """The certificate of an invariant of the model."""
    definition = model.definition
    return Certificate(
        definition.name,
        definition.spec_hash,
        dict(definition.constants),
        property_name,
        lemmas,
        clauses,
        found_by,
        k,
        fairness,
        ranking,
    )


def make_claimed_model(base: Model, certificate: Certificate) -> Model:
    """The model that the invariant is about: the protocol's, the one of its fair loops, or of a ranking.

    Raises Misfit if the protocol has no such temporal property, or no ranking of it; and if it has a
    constraint: nothing is known of executions beyond it, so there is no proof of a temporal property."""
    if certificate.fairness is None:
        return base
    definition, name = base.definition, certificate.property_name
    prop = next((one for one in definition.temporal if one.name == name), None)
    if prop is None:
        raise Misfit(f"{definition.name} has no temporal property {name}")
    if definition.constraint is not None:
        words = f"{definition.name} has a constraint, and {name} is a temporal property"
        raise Misfit(f"{words}: it can be proved of executions within the constraint only")
    conditions = conditions_named(definition, certificate.fairness)
    live = live_model(base, prop, certificate.fairness, conditions)
    if not certificate.ranking:
        return loop_model(live)
    try:
        return ranking_model(live)
    except NoRanking as none:
        raise Misfit(f"{name}: {none}") from None


def formulas(model: Model, certificate: Certificate) -> dict[str, FNode]:
    """The conjuncts of the invariant by name. Raises Misfit if the model does not have a name."""
    model = model.asking((certificate.property_name,))
    system = model.system
    known = _list_known(model)
    bits = {symbol.symbol_name() for symbol in system.bits}
    formulas = {model.definition.titles.typed: system.valid}
    for name in certificate.lemmas:
        if name not in known:
            raise Misfit(f"the certificate mentions {name}, which {certificate.spec} does not have")
        formulas[name] = known[name]
    for number, clause in enumerate(certificate.clauses, 1):
        for name, _ in clause:
            if name not in bits:
                raise Misfit(f"the certificate mentions {name}, which is not a part of the state")
        formulas[clause_name(number)] = disjunction(literal_term(literal) for literal in clause)
    return formulas


def clause_name(number: int) -> str:
    """The name of a clause of the certificate. They are numbered from 1 on."""
    return f"clause {number}"


def list_named_formulas(model: Model, names: Sequence[str]) -> list[FNode]:
    """The formulas of lemmas and properties. Raises KeyError if the model does not have a name."""
    known = _list_known(model)
    return [known[name] for name in names]


def _list_known(model: Model) -> dict[str, FNode]:
    system = model.system
    known = {model.definition.titles.typed: system.valid}
    known |= {prop.name: prop.formula for prop in system.properties}
    return known | {lemma.name: lemma.formula for lemma in system.lemmas}


def literal_term(literal: Literal) -> FNode:
    """A literal as a term."""
    name, positive = literal
    return bit(name) if positive else negation(bit(name))


def readable(model: Model, certificate: Certificate) -> list[dict[str, str]]:
    """The invariant in the protocol's own words: for each conjunct its name, its formula, and the reason."""
    meanings = model.layout.meanings(model.definition.presentation.first_index)
    texts = readable_lemmas(model, certificate.lemmas, lasting=certificate.fairness is not None)
    for number, clause in enumerate(certificate.clauses, 1):
        said = (meanings[bit].text(is_set) if bit in meanings else bit for bit, is_set in clause)
        texts.append({"name": clause_name(number), "says": " ∨ ".join(said), "why": ""})
    return texts


def readable_lemmas(model: Model, names: Iterable[str], *, lasting: bool = False) -> list[dict[str, str]]:
    """Return for each lemma and property its name, its formula as text, and why it holds. ``lasting``: names
    of temporal properties mean these. A property of a module may have a part for each."""
    definition = model.definition
    temporal = definition.temporal if lasting else ()
    texts = []
    for name in names:
        says, why = _describe_formula(definition, temporal, name.removesuffix(f" {WHERE_LOOP_STARTS}"))
        texts.append({"name": name, "says": says, "why": " ".join(why.split())})
    return texts


def _describe_formula(
    definition: Definition, lasting: Sequence[TemporalProperty], name: str
) -> tuple[str, str]:
    """Return the text of a lemma or a property, and why it holds. Only this formula is read: those of
    temporal properties that nobody asked for are not translated."""
    first = definition.presentation.first_index
    for temporal in lasting:
        if temporal.name == name:
            return f"no fair loop violates: {temporal.formula}", ""
    for lemma in definition.lemmas:
        if lemma.name == name:
            return text(lemma.formula, {}, first), lemma.description
    for prop in definition.properties:
        if prop.name == name:
            return _claim(prop, first), prop.description
    return _BEYOND_THE_PROTOCOL[NO_DEADLOCK if name == definition.titles.no_deadlock else TYPED]


def readable_ranking(model: Model, name: str) -> list[dict[str, str]]:
    """The measures of a ranking, in their order, and where which fairness helps."""
    ranking = next(one for one in model.definition.rankings if one.property_name == name)
    said = [
        {"name": f"measure {number}", "says": "; ".join(map(text, measure))}
        for number, measure in enumerate(ranking.measures, 1)
    ]
    return [*said, *({"name": f"{one.condition} helps", "says": text(one.when)} for one in ranking.helpful)]


def _claim(prop: Property, first_index: int) -> str:
    """The formula, as text, that a property contributes to an invariant (see ``verifier.system.model``)."""
    shown = text(prop.formula, {}, first_index)
    if prop.kind is PropertyKind.REACHABLE:
        return text(Term(Operator.NOT, prop.formula.sort, (prop.formula,)), {}, first_index)
    if prop.kind is PropertyKind.DEADLOCK_INVARIANT:
        return f"an action is enabled, or else {shown}"
    if prop.kind is PropertyKind.STEP_INVARIANT:
        return f"every enabled step that changes the state satisfies {shown}"
    return shown


def dump(model: Model, certificate: Certificate) -> str:
    """The certificate as JSON, with the invariant as text and as SMT-LIB 2."""
    model = make_claimed_model(model, certificate)
    content = {
        "format": FORMAT,
        "spec": certificate.spec,
        "spec_hash": certificate.spec_hash,
        "constants": dict(certificate.constants),
        "property": certificate.property_name,
        "found_by": vars(certificate.found_by),
        "k": certificate.k,
        **({"fairness": certificate.fairness} if certificate.fairness is not None else {}),
        **({"ranking": True} if certificate.ranking else {}),
        **({"single_steps": list(certificate.single_steps)} if certificate.single_steps else {}),
        **({"beyond": list(certificate.beyond)} if certificate.beyond else {}),
        **({"own_sorts": True} if certificate.own_sorts else {}),
        **({"validation": dict(certificate.validation)} if certificate.validation is not None else {}),
        "lemmas": list(certificate.lemmas),
        "clauses": [[[name, positive] for name, positive in clause] for clause in certificate.clauses],
        **_renderings(model, certificate),
    }
    return json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False, indent=1) + "\n"


def _renderings(model: Model, certificate: Certificate) -> dict[str, Any]:
    script = smt2.define(model, formulas(model, certificate))
    renderings: dict[str, Any] = {"invariant": readable(model, certificate), "smt2": script.splitlines()}
    if certificate.ranking:
        renderings["ranking_says"] = readable_ranking(model, certificate.property_name)
    return renderings


def read(path: Path, given: Mapping[str, Any] | None = None) -> tuple[Certificate, Mapping[str, Any]]:
    """The certificate in a file, and its whole content; ``given``: the content, where the file has several.

    Raises Misfit if it is no certificate or was changed.
    """
    content = json_of(path) if given is None else given
    if content.get("format") != FORMAT:
        raise Misfit(f"{path} is not a certificate: its format is not {FORMAT!r}")
    if content.get("digest") != digest_of(content):
        raise Misfit(f"{path} was changed since it was written: its digest is another")
    try:
        check_shape(content, _Content, "")
    except UsageError as error:
        raise Misfit(f"{path} is not a certificate: {error}") from None
    if not 1 <= content["k"] <= MOST_K:
        words = f"k should be a number from 1 to {MOST_K}, it is {content['k']}"
        raise Misfit(f"{path} is not a certificate: {words}")
    return _parse(content), content


def _parse(content: Mapping[str, Any]) -> Certificate:
    return Certificate(
        spec=content["spec"],
        spec_hash=content["spec_hash"],
        constants=content["constants"],
        property_name=content["property"],
        lemmas=tuple(content["lemmas"]),
        clauses=tuple(tuple((name, positive) for name, positive in clause) for clause in content["clauses"]),
        found_by=FoundBy(**{name: content["found_by"][name] for name in ("engine", "solver", "version")}),
        k=content["k"],
        fairness=content.get("fairness"),
        ranking=content.get("ranking", False),
        single_steps=tuple(content.get("single_steps", ())),
        beyond=tuple(content.get("beyond", ())),
        own_sorts=content.get("own_sorts", False),
        validation=content.get("validation"),
    )


def check_fit(model: Model, certificate: Certificate, content: Mapping[str, Any]) -> None:
    """Raises Misfit unless the certificate belongs to this protocol at these constants.

    Its readable invariant and its SMT-LIB text must be those that its lemmas and clauses have now.
    """
    definition = model.definition
    if certificate.spec != definition.name:
        raise Misfit(f"the certificate is of {certificate.spec}, not of {definition.name}")
    if dict(certificate.constants) != dict(definition.constants):
        raise Misfit(f"the certificate is of other constants of {definition.name}")
    if certificate.spec_hash != definition.spec_hash:
        raise Misfit(
            f"the certificate is of another version of {definition.name}: spec hash "
            f"{certificate.spec_hash}, this one has {definition.spec_hash}"
        )
    names = [prop.name for prop in model.system.properties]
    if certificate.property_name not in names:
        raise Misfit(f"{definition.name} has no property {certificate.property_name}")
    for part, rendering in _renderings(model, certificate).items():
        if content.get(part) != rendering:
            raise Misfit(f"the certificate's {part} is not what its lemmas and clauses mean here")
