"""Test suites: executions that cover a specification, replayed, and written as files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verifier.errors import UsageError
from verifier.files import reason_of, replace_file
from verifier.printable import say_count
from verifier.processes.interrupts import is_stop_asked, terminable
from verifier.processes.limits import Limits
from verifier.runs.loaded import Loaded, ReadingOptions
from verifier.specs.built_in import BUILT_IN
from verifier.testing.covering import Suite, cover_graph
from verifier.testing.generated import (
    Origin,
    adapter_stub,
    hypothesis_module,
    module_name,
    pytest_module,
)
from verifier.testing.graphs import Outline, StateGraph, explore_graph, outline_of
from verifier.testing.json_values import is_comparable, plain_json
from verifier.testing.requests import SuiteRequest
from verifier.verdict import ExitCode

INITIAL = "initial state"
"""The event of a log that has the initial state; no action has such a name."""
MAPPING = "mapping.toml"
_FILE = "execution-{:03}"
_FILES = re.compile(r"execution-\d{3,}\.(itf\.json|ndjson)")
_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ADAPTER = "_adapter.py"
_NO_GUARD = "no action has a guard"
_ABSENT = {
    "guards": "no guard has a disjunction or an IF; --cover transitions covers the steps",
    "near-failures": _NO_GUARD,
    "near-violations": _NO_GUARD,
    "instances": "no action can be taken",
    "transitions": "no action can be taken",
}
"""Why a specification has no target of a kind."""
_LISTED = 10
"""The most targets of a kind that a text lists."""


@dataclass(frozen=True)
class TestSuite:
    """Executions of a specification, each replayed."""

    request: SuiteRequest
    graph: StateGraph
    suite: Suite
    files: tuple[Mapping[str, Any], ...]
    """The executions in ITF."""

    __test__ = False  # no class of tests for pytest

    def __repr__(self) -> str:
        size, executions, covered, *_ = self.render(shown=False)
        return f"<TestSuite of {size}; {executions}; {covered}>"

    @property
    def exit_code(self) -> ExitCode:
        """Return SUCCESS if each target is covered or impossible, and INCONCLUSIVE if not."""
        unknown = self.graph.ended or self.suite.left or self.suite.not_found
        return ExitCode.INCONCLUSIVE if unknown else ExitCode.SUCCESS

    def as_object(self) -> dict[str, Any]:
        """Return the suite as a JSON object, without its states."""
        graph, suite = self.graph, self.suite
        return {
            "spec": graph.outline.spec,
            "cover": self.request.cover,
            "seed": self.request.seed,
            "states": graph.states,
            "steps": len(graph.steps),
            "complete": not graph.ended,
            "ended": graph.ended,
            "targets": suite.targets,
            "covered": suite.covered,
            "impossible": suite.impossible,
            "not_found": suite.not_found,
            "left": suite.left,
            "executions": [[step.title for step in one.steps] for one in suite.executions],
            "exit_code": int(self.exit_code),
        }

    def write(self, folder: Path | str, form: str | None = None) -> list[Path]:
        """Write the executions with a mapping for logs, and, in a form, the module that runs them. Return the
        files. Earlier executions in the folder go. Raises UsageError where a file cannot be written."""
        folder = Path(folder)
        outline, contents, names = self.graph.outline, dict[str, str](), list[str]()
        for number, file in enumerate(self.files, 1):
            names.append(f"{_FILE.format(number)}.ndjson")
            contents[names[-1]] = "".join(f"{line}\n" for line in _events(file, outline.tagged))
            text = json.dumps(file, indent=1, ensure_ascii=False)
            contents[f"{_FILE.format(number)}.itf.json"] = f"{text}\n"
        contents[MAPPING] = "\n".join(_mapping(outline, self.files))
        if form == "pytest":
            module = module_name(outline.spec)
            contents[f"test_{module}.py"] = pytest_module(outline, names)
            contents[f"{module}{_ADAPTER}"] = adapter_stub(outline)
        with _reporting(folder):
            for old in folder.iterdir() if folder.exists() else ():
                if _FILES.fullmatch(old.name) and old.name not in contents:
                    old.unlink()
        return write_files(folder, contents)

    def render(self, *, shown: bool) -> Iterator[str]:
        """Yield the lines of the text. ``shown``: with the actions of each execution."""
        graph, suite, what = self.graph, self.suite, self.request.cover
        whole = f"not all: {graph.ended}" if graph.ended else "all"
        size = f"{_count(graph.states, 'state')}, {_count(len(graph.steps), 'step')}"
        yield f"{graph.outline.spec}: {size} ({whole})"
        number = sum(len(one.steps) for one in suite.executions)
        executions = _count(len(suite.executions), "execution")
        yield f"{executions} with {_count(number, 'action')}, each replayed"
        if suite.targets:
            yield f"cover {suite.covered} of {suite.targets} {what}"
        else:
            yield f"nothing to cover: {_ABSENT.get(what, f'the explored part has no {what}')}"
        if graph.ended:
            yield f"the exploration is not complete ({graph.ended}): there may be more {what}, exit code 12"
        for words, targets in (
            ("impossible, for the graph is complete", suite.impossible),
            ("not found in the explored part", suite.not_found),
            ("not covered", suite.left),
        ):
            if targets:
                yield f"  {words}: {len(targets)}"
                yield from (f"    {target}" for target in targets[:_LISTED])
                if len(targets) > _LISTED:
                    yield f"    and {len(targets) - _LISTED} more (--format json lists all)"
        for number, one in enumerate(suite.executions if shown else (), 1):
            yield f"{number}. {', '.join(step.title for step in one.steps) or 'no action'}"


def make_suite(
    loaded: Loaded, request: SuiteRequest, tell: Callable[[str], None] = lambda _: None
) -> TestSuite:
    """Explore a specification, and return executions that cover it. Raises UsageError for what cannot be
    asked, and ReplayFailure for an execution that does not replay, which would be an error of this tool."""
    limits, suite = request.limits.begin(), None
    with terminable():
        finish = explore_graph(loaded, request.max_states, request.depth, limits.share(2))
        with suppress(KeyboardInterrupt):
            if not is_stop_asked():
                graph = finish()
                tell(f"explored {say_count(graph.states, 'state')} and {say_count(len(graph.steps), 'step')}")
                suite = _choose(graph, request, limits)
    if suite is None:  # interrupted: choose among what was explored until then
        graph = finish()
        suite = _choose(graph, request, replace(limits, after_interrupt=True))
    tell(f"chose {_count(len(suite.executions), 'execution')}: replaying")
    files = tuple(graph.write(one.states, [step.taken for step in one.steps]) for one in suite.executions)
    return TestSuite(request, graph, suite, files)


def _choose(graph: StateGraph, request: SuiteRequest, limits: Limits) -> Suite:
    check = limits.check_time
    return cover_graph(graph, request.cover, request.depth, request.count, request.seed, check)


def write_state_machine(
    loaded: Loaded, folder: Path, settings: Mapping[str, str], reading: ReadingOptions
) -> list[Path]:
    """Write a Hypothesis state machine of a specification in a file, and the stub of its adapter. Return the
    files. Raises UsageError where a file cannot be written."""
    outline, spec = outline_of(loaded), loaded.spec

    def beside(path: Path | str) -> str:
        return os.path.relpath(path, folder)

    origin = Origin(
        spec if spec in BUILT_IN else beside(spec),
        settings,
        None if reading.config is None else beside(reading.config),
        tuple(map(beside, reading.libraries)),
    )
    module = module_name(outline.spec)
    contents = {
        f"test_{module}_machine.py": hypothesis_module(outline, origin),
        f"{module}{_ADAPTER}": adapter_stub(outline),
    }
    return write_files(folder, contents)


def write_files(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """Write files into a folder, and return them. An adapter that exists stays as it is."""
    written = []
    with _reporting(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            path = folder / name
            if not (name.endswith(_ADAPTER) and path.exists()):
                replace_file(path, content)
                written.append(path)
    return written


@contextmanager
def _reporting(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {reason_of(error)}") from None


def _events(file: Mapping[str, Any], tagged: bool) -> Iterator[str]:
    """Yield the events of an execution in ITF, as JSON."""
    for state in file["states"]:
        about = state["#meta"]
        parameters = {name: plain_json(one, tagged) for name, one in about.get("parameters", {}).items()}
        values = {name: plain_json(state[name], tagged) for name in file["vars"]}
        event = {"action": about.get("action", INITIAL), "parameters": parameters, "state": values}
        yield json.dumps(event, ensure_ascii=False)


def _mapping(outline: Outline, files: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of the mapping with which `verify conform` reads the events."""
    yield f"# The events of these executions of {outline.spec}, for verify conform --map."
    yield 'event = "action"'
    yield f"ignore = [{json.dumps(INITIAL)}]"
    yield "\n[state]"
    states = [state for file in files for state in file["states"]]
    for name in outline.variables:
        line = f"{_key(name)} = {json.dumps(f'state.{name}')}"
        if all(is_comparable(state[name], outline.tagged) for state in states):
            yield line
        else:
            yield f"# {line}: a log has no key that is neither name nor number"
    for action, parameters in outline.actions.items():
        yield f"\n[events.{_key(action)}]"
        yield f"action = {json.dumps(action)}"
        pairs = ", ".join(f"{_key(name)} = {json.dumps(f'parameters.{name}?')}" for name in parameters)
        if pairs:
            yield f"parameters = {{ {pairs} }}"
    yield ""


def _key(name: str) -> str:
    return name if _KEY.fullmatch(name) else json.dumps(name)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
