"""Small TLA+ modules for tests: written to a folder, and explored by the interpreter."""

from __future__ import annotations

from pathlib import Path

from verifier.runs.tla_loading import load
from verifier.runs.tla_symbolic import Symbolic, symbolic
from verifier.tla.config import parse_config
from verifier.tla.evaluator import deep_recursion
from verifier.tla.explorer import Explorer
from verifier.tla.found import DEADLOCK
from verifier.tla.loading import read_module
from verifier.tla.specification import Specification, specify
from verifier.tla.translate.sampling import Sample, sample

HEAD = "---- MODULE M ----\n"
END = "\n====\n"


def written(folder: Path, body: str, name: str = "M") -> Path:
    """A module with this body in a file."""
    path = folder / f"{name}.tla"
    path.write_text(f"---- MODULE {name} ----\n{body}{END}")
    return path


def specified(folder: Path, body: str, config: str = "INIT Init\nNEXT Next", **others: str) -> Specification:
    """The specification of a module with this body, beside modules with others."""
    deep_recursion()
    for name, text in others.items():
        written(folder, text, name)
    module, library = read_module(written(folder, body))
    return specify(module, parse_config(config, "M.cfg"), words=library.words)


def explored(folder: Path, body: str, config: str = "INIT Init\nNEXT Next", **others: str) -> Explorer:
    """The same, explored, deadlocks included."""
    made = specified(folder, body, config, **others)
    asked = (*made.invariants, *made.properties, *([DEADLOCK] if made.config.check_deadlock else []))
    explorer = Explorer(made, properties=asked, keep_going=True)
    explorer.assume()
    explorer.explore()
    return explorer


def counts(
    folder: Path, body: str, config: str = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
) -> tuple[int, int, int]:
    """Distinct states, states generated, and levels."""
    found = explored(folder, body, config).found
    return found.distinct, found.generated, len(found.levels)


def value(folder: Path, expression: str, extends: str = "Integers, Sequences, FiniteSets, TLC") -> str:
    """The value of a constant expression, as text."""
    made = specified(folder, f"EXTENDS {extends}\nValue == {expression}", "")
    definition = made.module.names["Value"]
    from verifier.tla import ast
    from verifier.tla.order import text

    assert isinstance(definition, ast.Definition)
    evaluator = made.evaluator
    return text(evaluator.compiled(ast.Apply(definition, place=definition.place), "M")(), evaluator.order)


def translated(folder: Path, body: str, config: str) -> Symbolic:
    """The module with this body, its first states looked at, before it is translated."""
    (folder / "M.cfg").write_text(config)
    (folder / "M.tla").write_text(f"---- MODULE M ----{body}{END}")
    return symbolic(load(str(folder / "M.tla"), {}))


def few(specification: Specification, **_: object) -> Sample:
    """A sample of three states, of which sorts are made that soon do not do."""
    found = sample(specification)
    return Sample(found.states[:3], found.initial, found.all_initial, complete=False)
