"""TLA+ modules at the constants of a configuration."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from verifier.encodings.terms import Term
from verifier.errors import UsageError, cut, make_unknown_name_error, nearest
from verifier.files import bytes_of, guess_meant_file
from verifier.processes.stacks import make_room_for_recursion
from verifier.runs.modules.loading_warnings import (
    warn_of_definitions,
    warn_of_numbers,
    warn_of_random_values,
)
from verifier.specs.definition import Action, Definition, Presentation, Property, PropertyKind
from verifier.specs.temporal import TemporalFormula, TemporalOperator, TemporalProperty
from verifier.tla import ast
from verifier.tla.config import Assignment, Config, ModelName, parse_value, read_config
from verifier.tla.constants import SET_PLACE
from verifier.tla.documented import describe_operator, place_of
from verifier.tla.errors import Place, TlaError
from verifier.tla.facts import CONSTANT, STATE, TEMPORAL
from verifier.tla.frames import Undefined
from verifier.tla.loading import Library, read_module
from verifier.tla.naming import actions
from verifier.tla.order import text
from verifier.tla.specification import Specification, specify
from verifier.tla.splitting import Formula, Safety, conjuncts
from verifier.verdict import OF_STEPS, TEMPORAL_PART

_FIELDS = {one.name for one in fields(Term)}


class _UnreadTerm(Term):
    """The formula of a module that is not translated. It raises AssertionError for whoever reads it: no other
    formula may silently stand for the module's."""

    def __getattribute__(self, name: str) -> Any:
        if name in _FIELDS:
            raise AssertionError("a formula is read of a module that is not translated")
        return super().__getattribute__(name)

    def __repr__(self) -> str:
        return "<the formula of a module that is not translated>"


_UNREAD = _UnreadTerm.__new__(_UnreadTerm)
UNKNOWN = TemporalFormula(TemporalOperator.EVENTUALLY, (_UNREAD,))
"""The placeholder of a temporal formula before it is translated."""
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class TlaDefinition(Definition):
    """The definition of a TLA+ module that is only interpreted, for the rest of the program."""

    source_hash: str = ""

    @cached_property
    def spec_hash(self) -> str:
        """Return the hash of module and configuration (``_hash``)."""
        return self.source_hash

    @property
    def property_names(self) -> tuple[str, ...]:
        """Return the names of all properties in the configuration."""
        return (*(prop.name for prop in self.properties), *(prop.name for prop in self.temporal))


@dataclass(frozen=True)
class TlaLoaded:
    """A module at its constants."""

    path: Path
    specification: Specification
    definition: TlaDefinition
    began: float
    files: tuple[Path, ...]
    """All files that were read: modules and the configuration."""
    libraries: tuple[Path, ...]
    settings: Mapping[str, str]
    said: Mapping[str, Any]
    """The constants of a file of results: this, libraries and settings are what ``load`` was given."""


def load(
    spec: str,
    settings: Mapping[str, str],
    config: Path | None = None,
    libraries: Sequence[Path] = (),
    began: float | None = None,
    said: Mapping[str, Any] = MappingProxyType({}),
) -> TlaLoaded:
    """Load the module of a file, at the constants of its configuration. Raises UsageError. Without
    ``config``, the configuration is the file of the same name beside the module. ``said``: the constants of a
    file of results, which hold unless ``settings`` differ."""
    make_room_for_recursion()
    path = Path(spec)
    module, library = read_module(path, libraries)
    asked = _config(path, config)
    for name in settings:
        if name not in module.names:
            known = [constant.name for constant in module.constants]
            raise make_unknown_name_error(f"constant of {module.name}", name, known)
    overriding = {
        name: replace(parse_value(value, f"{SET_PLACE}{name}={cut(value)}"), name=name)
        for name, value in settings.items()
    }
    declared = {constant.name for constant in module.constants}
    overriding = {
        **{n: one for n, one in _read(said, declared).items() if _differs(asked, n, one)},
        **overriding,
    }
    specification = _specify(module, library, asked, overriding)
    specification.warnings = (
        *specification.warnings,
        *warn_of_numbers(asked, overriding, settings),
        *warn_of_definitions(module, settings),
        *warn_of_random_values(specification),
    )
    definition = _definition(specification, path, _hash(library.files, asked, overriding))
    own = definition.constants
    changed = {n: v for n, v in said.items() if n in declared - overriding.keys() and own.get(n, n) != v}
    if changed := {name: word_of(v) for name, v in changed.items() if name in _read(changed, declared)}:
        return load(spec, {**changed, **settings}, config, libraries, began, said)
    began = time.monotonic() if began is None else began
    files = (*library.files, Path(asked.file))
    given = (tuple(libraries), dict(settings), dict(said))
    return TlaLoaded(path, specification, definition, began, files, *given)


def _specify(
    module: ast.Module, library: Library, config: Config, overriding: Mapping[str, Assignment]
) -> Specification:
    """Return the specification. If PlusCal has no translation, an error says how to get one."""
    with library.hinting():
        specification = evaluate_or_refuse(lambda: specify(module, config, overriding, library.words))
    specification.warnings = (*library.warnings(), *specification.warnings)
    return specification


def _read(said: Mapping[str, Any], declared: Container[str]) -> dict[str, Assignment]:
    """Return the constants of a file of results that can be written in a configuration."""
    assignments = {}
    for name, value in said.items():
        try:
            one = replace(parse_value(word_of(value), name), name=name)
        except TlaError:
            continue
        if name in declared and not one.operator:
            assignments[name] = one
    return assignments


def setting(name: str, value: Any) -> str | None:
    """Return the argument of ``--set`` for a constant of a module; None if a configuration cannot write
    it."""
    return word_of(value) if name in _read({name: value}, (name,)) else None


def word_of(value: Any) -> str:
    """Return a value from a file in the syntax of a configuration."""
    return str(value).upper() if isinstance(value, bool) else str(value)


def _differs(config: Config, name: str, other: Assignment) -> bool:
    """True if a configuration gives a constant another value, or none. A substituted operator is only known
    when it is evaluated."""
    own = config.constants.get((None, name))
    return own is None or (not own.operator and _describe_constant(own) != _describe_constant(other))


def _config(path: Path, config: Path | None) -> Config:
    if config is not None:
        return read_config(config)
    beside = path.with_suffix(".cfg")
    if not beside.is_file():
        meant = guess_meant_file(beside, ".cfg")
        # A configuration beside its own module is not meant.
        is_own = meant is not None and meant.with_suffix(path.suffix).is_file()
        hint = f"; did you mean {meant}?" if meant is not None and not is_own else ""
        words = f"there is no configuration {beside}: write it, or name another with --config FILE{hint}"
        raise TlaError(Place(str(path), 0, 0), words)
    return read_config(beside)


def _hash(files: Sequence[Path], config: Config, overriding: Mapping[str, Assignment]) -> str:
    """Return the hash of a module's meaning: texts, constants, and the configuration's parts about states and
    steps. The checked properties and the paths of files do not matter."""
    assigned = {key: one for key, one in config.constants.items() if key[1] not in overriding}
    assigned |= {(None, name): one for name, one in overriding.items()}
    constants = sorted(
        (module or "", name, *_describe_constant(one)) for (module, name), one in assigned.items()
    )
    named = {key: getattr(config, key) for key in ("specification", "init", "next", "view")}
    listed = {key: getattr(config, key) for key in ("constraints", "action_constraints", "symmetry")}
    about = {
        "constants": constants,
        **{key: one and one.name for key, one in named.items()},
        **{key: [one.name for one in several] for key, several in listed.items()},
    }
    hashed = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for file in sorted(files, key=lambda file: file.name):
        hashed.update(f"\0{file.name}\0".encode() + bytes_of(file))
    return hashed.hexdigest()[:16]


def _describe_constant(assignment: Assignment) -> tuple[str, str]:
    """Return the substitute of a constant, an operator or a value, in a canonical form."""
    if assignment.table:
        rows = [[_canonical(one) for one in (*arguments, value)] for arguments, value in assignment.table]
        return "", json.dumps(sorted(rows))
    return assignment.operator or "", "" if assignment.operator else _canonical(assignment.value)


def _canonical(value: Any) -> str:
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_canonical, value)))}}}"
    return value.name if isinstance(value, ModelName) else json.dumps(value)


def _definition(specification: Specification, path: Path, source_hash: str) -> TlaDefinition:
    order, config = specification.evaluator.order, specification.config
    constants = {
        name: value if type(value) is int else text(value, order)
        for name, value in specification.constants.items()
        if text(value, order) != name
    }
    checked = [*specification.invariants]
    for name, safety in specification.properties.items():
        checked += [name] if checkable(specification, name) else []
        checked += [f"{name}{OF_STEPS}"] if safety.always and safety.steps else []
    lasting = [name for name, one in specification.properties.items() if one.liveness]
    said = {
        name: describe_operator(specification.module, name.removesuffix(OF_STEPS))
        for name in (*checked, *lasting)
    }
    does = {name: describe_operator(specification.module, name)[1] for name in _action_names(specification)}
    return TlaDefinition(
        specification.module.name,
        constants,
        (),
        _UNREAD,
        tuple(
            Action(name, (), (), (), words, place_of(specification.module, name))
            for name, words in does.items()
        ),
        tuple(
            Property(name, _kind_of(specification, name), _UNREAD, True, said[name][1]) for name in checked
        ),
        None,
        presentation=Presentation(
            source=str(path),
            config=config.file,
            says={name: says for name, (says, _) in said.items()},
            first_index=1,
            constraints=tuple(one.name for one in (*config.constraints, *config.action_constraints)),
        ),
        temporal=tuple(TemporalProperty(name, UNKNOWN, True, said[name][1]) for name in lasting),
        titles=specification.titles,
        checks_deadlock=specification.next is not None and config.check_deadlock,
        source_hash=source_hash,
    )


def _kind_of(specification: Specification, name: str) -> PropertyKind:
    """Return the kind of a property: of one that speaks of states and of steps, the part has its own name.
    What it says of initial states changes nothing, as in the translation."""
    safety = specification.properties.get(name)
    only_steps = safety is not None and safety.steps and not safety.always
    is_of_steps = only_steps or name.endswith(OF_STEPS)
    return PropertyKind.STEP_INVARIANT if is_of_steps else PropertyKind.INVARIANT


def _action_names(specification: Specification) -> list[str]:
    return list(dict.fromkeys(name.partition("(")[0] for name in actions(specification)))


def evaluate_or_refuse(work: Callable[[], ResultT]) -> ResultT:
    """Return the result of work. An expression without a value, or endless recursion, is a usage error."""
    try:
        return work()
    except Undefined as error:
        raise UsageError(str(error)) from None
    except RecursionError:
        raise UsageError(
            "an operator calls itself without an end, or deeper than 60,000 closures go"
        ) from None


def no_initial_state(spec: Specification) -> UsageError:
    """Return the error for a module without an initial state."""
    return UsageError(f"{spec.module.name}: no state satisfies Init, so that nothing can happen")


def checkable(spec: Specification, name: str) -> bool:
    """True if some part of a property is about states and steps only."""
    safety = spec.properties[name]
    return bool(safety.initially or safety.always or safety.steps)


def with_invariants(spec: Specification, formulas: Mapping[str, Formula]) -> Specification:
    """Return the specification with further invariants, its properties split, and no state taken for another
    one."""
    plain = replace(spec, symmetry=[], view=None, invariants={**spec.invariants, **formulas})
    return split_properties(plain)


def split_properties(spec: Specification) -> Specification:
    """Return the specification with each property about states and steps split in two. Each part has the name
    that engines use."""
    properties = dict(spec.properties)
    for name, one in spec.properties.items():
        if one.always and one.steps:
            properties[name] = replace(one, steps=())
            properties[f"{name}{OF_STEPS}"] = Safety(steps=one.steps)
    return replace(spec, properties=properties)


def operators(spec: Specification, levels: Sequence[int]) -> list[str]:
    """Return the module's own operators without parameters, of these levels."""
    analysis = spec.evaluator.analysis
    own = [
        definition
        for definition in spec.module.names.values()
        if isinstance(definition, ast.Definition)
        and not definition.parameters
        and definition.module == spec.module.name
    ]
    return [one.name for one in own if one.body is not None and analysis.of_definition(one).level in levels]


def temporal_name(name: str, safety: Safety) -> str:
    """Return the name of the part of a property that engines for states and steps leave open."""
    return f"{name}{TEMPORAL_PART}" if safety.initially or safety.always or safety.steps else name


def temporal_named(spec: Specification, name: str, known: Sequence[str]) -> Safety:
    """Return the operator of this name, as a temporal property. Raises UsageError."""
    symbol = spec.module.names.get(name)
    if not isinstance(symbol, ast.Definition) or symbol.parameters:
        raise _make_unknown_error(spec, name, known, "temporal property")
    whole = Formula(ast.Apply(symbol, place=symbol.place), spec.module.name)
    spec.refuse_by_value([whole])
    safety = conjuncts(spec.evaluator, whole)
    if not safety.liveness:
        is_of_steps = spec.evaluator.analysis.of(whole.body, whole.module).level > STATE
        hint = " if it stands under PROPERTY in the configuration" if is_of_steps else ""
        raise TlaError(symbol.place, explain_left_to_live(name) + hint)
    return safety


def explain_left_to_live(*names: str) -> str:
    """Return the reason why ``verify live`` does not decide these properties."""
    are, it = ("is", "it") if len(names) == 1 else ("are", "them")
    about = f"{', '.join(names)} {are} about single states and steps, not whole executions"
    return f"{about}: verify check, bmc, explore and prove check {it}"


def formula_named(spec: Specification, name: str, known: Sequence[str], kind: str = "property") -> Formula:
    """Return the operator of this name, as a formula of one state. Raises UsageError."""
    symbol = spec.module.names.get(name)
    if not isinstance(symbol, ast.Definition) or symbol.parameters:
        raise _make_unknown_error(spec, name, known, kind)
    formula = Formula(ast.Apply(symbol, place=symbol.place), spec.module.name)
    if spec.evaluator.analysis.of(formula.body, formula.module).level > STATE:
        hint = "" if kind == "lemma" else ": name it under PROPERTY in the configuration"
        raise TlaError(symbol.place, f"the {kind} {name} is about more than one state{hint}")
    spec.refuse_by_value([formula])
    return formula


def _make_unknown_error(spec: Specification, name: str, known: Sequence[str], kind: str) -> UsageError:
    """Return the error for a name that is neither configured nor an operator without parameters."""
    levels = (TEMPORAL,) if kind.startswith("temporal") else (CONSTANT, STATE)
    near = nearest(name, [*known, *operators(spec, levels)])
    hint = f"; did you mean {near!r}?" if near else ""
    claims = dict.fromkeys(one.name for one in (*spec.config.invariants, *spec.config.properties))
    configured = f"; {Path(spec.config.file).name} names {', '.join(claims)}" if known and claims else ""
    words = f"{spec.module.name} has no operator of that name without parameters{configured}"
    return UsageError(f"unknown {kind} {cut(name)!r}: {words}{hint}")
