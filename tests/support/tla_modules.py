"""Small TLA+ modules for tests: written to a folder, and explored by the interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from verifier.processes.limits import Interrupted
from verifier.processes.stacks import make_room_for_recursion
from verifier.runs.engine import Listen, engine_named
from verifier.runs.loaded import Loaded
from verifier.runs.modules.loading import load
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.source import TlaSource
from verifier.runs.modules.translating import Symbolic, translate_module
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.config import parse_config
from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.itf import show_state
from verifier.tla.loading import read_module
from verifier.tla.specification import Specification, specify
from verifier.tla.translate.sampling import Sample, sample

HEAD = "---- MODULE M ----\n"
END = "\n====\n"


def write_module(folder: Path, body: str, name: str = "M") -> Path:
    """A module with this body in a file."""
    path = folder / f"{name}.tla"
    path.write_text(f"---- MODULE {name} ----\n{body}{END}")
    return path


def specify_module(
    folder: Path, body: str, config: str = "INIT Init\nNEXT Next", **others: str
) -> Specification:
    """The specification of a module with this body, beside modules with others."""
    make_room_for_recursion()
    for name, text in others.items():
        write_module(folder, text, name)
    module, library = read_module(write_module(folder, body))
    return specify(module, parse_config(config, "M.cfg"), words=library.words)


def explore_module(folder: Path, body: str, config: str = "INIT Init\nNEXT Next", **others: str) -> Explorer:
    """Explore a module, deadlocks included."""
    made = specify_module(folder, body, config, **others)
    asked = (*made.invariants, *made.properties, *([NO_DEADLOCK] if made.config.check_deadlock else []))
    explorer = Explorer(made, properties=asked, keep_going=True)
    explorer.assume()
    explorer.explore()
    return explorer


def all_found(explorer: Explorer) -> tuple[tuple[Any, ...], bool]:
    """Explores, and gives all that is found, with the words of the error that ends it; whether the end of the
    search was by columns."""
    error = ""
    try:
        explorer.explore()
    except (Undefined, Interrupted) as reason:
        error = str(reason)
    found, order = explorer.result, explorer.evaluator.order
    by_columns = explorer.columns.search is not None

    def show(states: list[State]) -> list[dict[str, str]]:
        return [show_state(explorer.names, state, order) for state in states]

    violations = {name: show(one.states) for name, one in found.violations.items()}
    numbers = (found.distinct, found.generated, found.levels, found.depth, found.closed, found.complete)
    others = (found.initial, found.deadlocks, found.beyond, found.waiting, list(found.taken.items()))
    symmetry = (explorer.in_orbits, explorer.asymmetric)
    states = (show(list(explorer.states)), list(explorer.known.parents))
    return (error, numbers, others, violations, explorer.violations.depths, states, symmetry), by_columns


def counts(
    folder: Path, body: str, config: str = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
) -> tuple[int, int, int]:
    """Distinct states, states generated, and levels."""
    found = explore_module(folder, body, config).result
    return found.distinct, found.generated, len(found.levels)


def value(folder: Path, expression: str, extends: str = "Integers, Sequences, FiniteSets, TLC") -> str:
    """The value of a constant expression, as text."""
    made = specify_module(folder, f"EXTENDS {extends}\nValue == {expression}", "")
    definition = made.module.names["Value"]
    from verifier.tla import ast
    from verifier.tla.order import text

    assert isinstance(definition, ast.Definition)
    evaluator = made.evaluator
    return text(
        evaluator.compile_value(ast.Apply(definition, place=definition.place), "M")(), evaluator.order
    )


def translate_body(folder: Path, body: str, config: str) -> Symbolic:
    """Return the module with this body, its first states sampled, before it is translated."""
    (folder / "M.cfg").write_text(config)
    (folder / "M.tla").write_text(f"---- MODULE M ----{body}{END}")
    return translate_module(load(str(folder / "M.tla"), {}))


def few(specification: Specification, **_: object) -> Sample:
    """A sample of three states, of which sorts are made that soon do not do."""
    found = sample(specification)
    return Sample(found.states[:3], found.initial, found.all_initial, complete=False)


def question_of(
    made: Symbolic, engine_name: str, listen: Listen = lambda _: None, **options: Any
) -> ModuleQuestion:
    """The question that a command asks about a module."""
    engine, module = engine_named(engine_name), made.loaded
    loaded = Loaded(str(module.path), module.definition, {})
    question = TlaSource(module).prepare(engine, loaded, engine.options(**options))
    return ModuleQuestion(engine, module, question, (), listen, lambda _: None)
