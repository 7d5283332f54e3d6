"""The session: specifications that are open, and what can be asked of them.

Every protocol of the server answers by one session. It runs no code and reads no file but those that a
request names, and what these name in turn. It writes none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.engine import engine_named
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load as load_spec
from verifier.runs.table import ENGINES
from verifier.server.calls import Call
from verifier.server.checks import is_final, prepare_question, run_question
from verifier.server.executions import follow_trace
from verifier.server.open_spec import (
    OpenSpec,
    find_python_file,
    forget_modules_beside,
    list_files,
    stamp_of,
)
from verifier.server.turns import Turns
from verifier.server.views import view_results


@dataclass
class Session:
    """Specifications by name."""

    specs: dict[str, OpenSpec] = field(default_factory=dict)
    last: str | None = None
    """The specification that was loaded or named last."""
    lock: Turns = field(default_factory=Turns)
    """Held while a request is answered, but not while an engine runs. Long requests give way to others."""

    def find(self, name: str | None) -> OpenSpec:
        """Return an open specification: the last one if none is named. Raises UsageError."""
        if name is None:
            if self.last is None:
                raise UsageError("no specification is open: load one first")
            name = self.last
        if name not in self.specs:
            raise make_unknown_name_error("open specification", name, self.specs)
        self.last = name
        return self.specs[name]

    def load(
        self, spec: str, constants: Mapping[str, Any], reading: ReadingOptions, name: str | None
    ) -> OpenSpec:
        """Open a specification. One that is open, with the same constants and unchanged files, is kept."""
        asked = (spec, tuple(sorted((key, str(value)) for key, value in constants.items())), reading)
        for one in self.specs.values():
            if one.asked == asked and not one.has_changed and name in (None, one.name):
                self.last = one.name
                return one
        path = find_python_file(spec)
        if path is not None:
            forget_modules_beside(path)
        loaded = load_spec(spec, constants, reading=reading)
        stamps = {path: stamp_of(path) for path in list_files(loaded)}
        shown = name or self._choose_name(loaded.definition.name, asked)
        self.specs[shown] = OpenSpec(shown, loaded, asked, stamps)
        self.last = shown
        return self.specs[shown]

    def _choose_name(self, own: str, asked: tuple[Any, ...]) -> str:
        """Return a name for a specification. One that was loaded in the same way is replaced."""
        for name, one in self.specs.items():
            if one.asked == asked:
                return name
        number, name = 1, own
        while name in self.specs:
            number += 1
            name = f"{own}-{number}"
        return name

    def check(
        self,
        call: Call,
        spec: OpenSpec,
        engine: str,
        properties: tuple[str, ...],
        options: Mapping[str, Any],
        *,
        fresh: bool,
        traces: bool,
    ) -> dict[str, Any]:
        """Run an engine. A final answer is kept, and given again for the same question unless ``fresh``."""
        if engine not in ENGINES:
            raise make_unknown_name_error("engine", engine, ENGINES)
        with self.lock:
            descriptor = engine_named(engine)
            question = prepare_question(descriptor, spec.loaded, properties, options)
            key = (engine, question.properties, repr(sorted(question.recorded.items())))
            kept = None if fresh else spec.kept_answers.get(key)
        if kept is None:
            content, text = run_question(descriptor, question, call, self.lock)
            kept = {"content": content, "text": text}
            with self.lock:
                if is_final(content):
                    spec.kept_answers[key] = kept
            is_kept = False
        else:
            content, is_kept = kept["content"], True
        with self.lock:
            for one in content["results"]:
                if one["trace"] is not None:
                    spec.traces[one["property"]] = one["trace"]
        return {
            **view_results(content, traces=traces),
            "text": kept["text"],
            "kept": is_kept,
            "changed_on_disk": spec.has_changed,
        }

    def show_counterexample(self, spec: OpenSpec, name: str) -> None:
        """Walk to the end of the counterexample that was found last for a property. Raises UsageError if
        there is none, or if the interpreter does not find its steps."""
        if name not in spec.traces:
            known = ", ".join(spec.traces) or "none"
            raise UsageError(f"there is no counterexample for {name} yet (known: {known}): check it first")
        follow_trace(spec, spec.traces[name])


def read_reading(config: str | None, library: list[str], lemmas: list[str]) -> ReadingOptions:
    """Return the options for reading a TLA+ module."""
    return ReadingOptions(None if config is None else Path(config), tuple(map(Path, library)), tuple(lemmas))
