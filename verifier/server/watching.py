"""A specification that is checked again when its files change, and what the changes did to its verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifier.runs.engine import engine_named
from verifier.runs.loaded import TLA, ReadingOptions
from verifier.server.calls import Call
from verifier.server.checks import is_final, prepare_question
from verifier.server.meanings import hash_meanings
from verifier.server.open_spec import OpenSpec, Stamp, find_python_file, stamp_of
from verifier.server.session import Session
from verifier.verdict import ExitCode, VerdictKind, in_words

_COUNTS = ("distinct_states", "depth", "initial_states", "deadlocks")
_SHOWN = {"distinct_states": "states", "initial_states": "initial states"}


@dataclass(frozen=True)
class Look:
    """The answer about the files as they are now."""

    results: Mapping[str, Mapping[str, Any]]
    """The result of each property, as the command's JSON has it."""
    kept: tuple[str, ...]
    """The properties whose verdict is kept: their meaning did not change."""
    changes: tuple[str, ...]
    """The differences from the answer before."""
    text: str
    """The text of the run, if there was one."""
    exit_code: int


@dataclass
class Watched:
    """A specification, the question about it, and the last answer."""

    spec: str
    constants: Mapping[str, Any]
    reading: ReadingOptions
    engine: str
    properties: tuple[str, ...]
    options: Mapping[str, Any]
    session: Session = field(default_factory=Session)
    stamps: Mapping[Path, Stamp | None] = field(default_factory=dict)
    _meanings: Mapping[str, str] = field(default_factory=dict)
    _results: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    _final: frozenset[str] = frozenset()
    _counts: Mapping[str, Any] = field(default_factory=dict)

    def changed(self) -> list[Path]:
        """Return the files that changed since they were read."""
        return [path for path, stamp in self.stamps.items() if stamp_of(path) != stamp]

    def look(self, call: Call) -> Look:
        """Read the files, and check what is not known. Raises UsageError and others for a wrong text, after
        which the same files are watched."""
        self.stamps = {path: stamp_of(path) for path in {*self.stamps, *self._list_named_files()}}
        one = self.session.load(self.spec, self.constants, self.reading, None)
        self.stamps = {**one.stamps}
        engine = engine_named(self.engine)
        names = prepare_question(engine, one.loaded, self.properties, self.options).properties
        meanings = hash_meanings(one.loaded, names)
        kept = tuple(n for n in names if n in self._final and self._meanings.get(n) == meanings[n])
        open_names = tuple(name for name in names if name not in kept)
        content, text = self._check(call, one, open_names)
        checked = {result["property"]: result for result in content["results"]} if content else {}
        results = {name: self._results[name] for name in kept} | checked
        counts = content["statistics"] if content else self._counts
        changes = tuple(self._changes(results, counts))
        final = {name for name, result in checked.items() if is_final({"results": [result]})}
        self._meanings, self._results, self._counts = meanings, results, counts
        self._final = frozenset({*kept, *final})
        code = ExitCode.worst(VerdictKind(one["verdict"]).exit_code for one in results.values())
        return Look(results, kept, changes, text, code)

    def _list_named_files(self) -> list[Path]:
        """Return the files that the user named, which are watched also while they cannot be read."""
        if self.spec.endswith(TLA):
            return [Path(self.spec), self.reading.config or Path(self.spec).with_suffix(".cfg")]
        path = find_python_file(self.spec)
        return [] if path is None else [path]

    def _check(self, call: Call, one: OpenSpec, names: tuple[str, ...]) -> tuple[dict[str, Any], str]:
        if not names:
            return {}, ""
        answer = self.session.check(call, one, self.engine, names, self.options, fresh=False, traces=True)
        return answer, str(answer["text"])

    def _changes(self, results: Mapping[str, Mapping[str, Any]], counts: Mapping[str, Any]) -> Iterator[str]:
        """Yield the differences from the last answer; none of them at the first one."""
        if not self._results:
            return
        for name, result in results.items():
            now, before = describe_result(result), self._results.get(name)
            if before is None:
                yield f"{name}: new, {now}"
            elif describe_result(before) != now:
                yield f"{name}: {describe_result(before)} → {now}"
        for name in self._results:
            if name not in results:
                yield f"{name}: no longer checked"
        is_whole = self._counts.get("complete") is True and counts.get("complete") is True
        for key in _COUNTS if is_whole else ():  # of a search that ended early they say nothing
            old, new = self._counts.get(key), counts.get(key)
            if old is not None and new is not None and old != new:
                yield f"{_SHOWN.get(key, key)}: {old:,} → {new:,}"


def describe_result(result: Mapping[str, Any]) -> str:
    """Return a verdict with its depth or length: ``VIOLATED in 3 steps``."""
    return in_words(VerdictKind(result["verdict"]), result["depth"], result["steps"], result["reason"])
