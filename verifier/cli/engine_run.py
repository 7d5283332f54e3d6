"""A run of an engine by its command: what the arguments ask, the answer, and the files that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from verifier.cli.last_word import LastWord, write_run
from verifier.cli.output import note, write
from verifier.cli.reporter import Reporter
from verifier.cli.running import Display, Render, announce, check_targets, page_of, show, show_known
from verifier.cli.specs import (
    CHOSEN_LEMMAS,
    find_named_spec,
    list_lemmas,
    parse_settings,
    reading_of,
    reading_within,
)
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.interrupts import speak_last, terminable
from verifier.processes.limits import Limits
from verifier.runs.asking import answer_question, make_question
from verifier.runs.engine import Engine, OutputFile
from verifier.runs.loaded import TLA
from verifier.runs.loading import load
from verifier.runs.question import Question
from verifier.runs.told import ToldVerdicts
from verifier.system.model import Model
from verifier.text.run import verdict_text

_LEAST_SECONDS_OF_READING = 2.0
"""The time that a Python protocol has at least, until its code has run."""


@dataclass(frozen=True)
class _Request:
    """The question of a command line, and the files that are to be written."""

    question: Question[Any]
    shown: Display
    certificate: Path | None
    files: Mapping[OutputFile[Any], Path | None]

    def check_targets(self) -> None:
        """Raise UsageError if a file could not or must not be written."""
        others = {file.flag: path for file, path in self.files.items()}
        check_targets(self.shown, {"--certificate": self.certificate, **others}, self.question.properties)

    def write_questions(self, model: Model) -> None:
        """Write the files that show the question."""
        for file, path in self.files.items():
            if path is not None and file.of_question is not None:
                write(file.flag, path, file.of_question(self.question, model))


def run_engine(engine: Engine[Any], given: dict[str, Any], began: float) -> int:
    """Run the engine, print, write files, and return the exit code. ``began``: when the command began."""
    request = _read_request(engine, given, began)
    request.check_targets()
    question, shown = request.question, request.shown
    announce(question.definition, engine.announcement(question), for_all=engine.for_all(question))
    run, render = _answer(engine, request)
    speak_last(partial(write_run, run, shown, render))
    refused: UsageError | None = None
    if request.certificate is not None:
        try:
            run = write_certificates(run, request.certificate)
        except UsageError as error:  # the answer is printed all the same
            refused = error
    code = show(run, shown, render)
    _write_answers(run, request.files)
    if refused is not None:
        raise refused
    return code


def _read_request(engine: Engine[Any], given: dict[str, Any], began: float) -> _Request:
    """Read the arguments of a command, and the spec that they name. Raises UsageError if they are not
    allowed."""
    spec = find_named_spec(given.pop("spec_option"), given.pop("spec_argument"))
    own = given.get("lemmas")
    chooses = CHOSEN_LEMMAS in engine.options.__dataclass_fields__
    reading = reading_of(spec, own if isinstance(own, tuple) else (), chooses=chooses)
    if chooses and not spec.endswith(TLA):
        given[CHOSEN_LEMMAS] = list_lemmas()
    settings = parse_settings(given.pop("settings"))
    full, trace_out = given.pop("full"), given.pop("trace_out", None)
    shown = Display(given.pop("output_format"), full, trace_out, given.pop("html"))
    certificate: Path | None = given.pop("certificate", None)
    files = {file: given.pop(file.flag[2:].replace("-", "_")) for file in engine.files}
    options = engine.options_of({**given, **(engine.certifying if certificate else {})})
    for file, path in files.items():
        if path is not None:
            options = file.prepare(options, path)
    # A Python protocol is mostly read at once: then its run says which properties the time left open.
    least = 0.0 if spec.endswith(TLA) else _LEAST_SECONDS_OF_READING
    with reading_within(Limits(options.timeout, since=began), least):
        question = make_question(engine, load(spec, settings, began, reading), options)
    return _Request(question, shown, certificate, files)


def _answer(engine: Engine[Any], request: _Request) -> tuple[Run, Render]:
    """Return the engine's answer and what makes its text. If an interrupt ends the run, the answer has the
    verdicts that were final before."""
    question, shown = request.question, request.shown
    progress, threaded = engine.progress(), not engine.forks_late
    tell = partial(show_known, shown=shown)
    told = ToldVerdicts(question)
    last = LastWord(engine, told)
    speak_last(partial(last.write, shown))
    run: Run | None = None
    try:
        with terminable(), Reporter(progress, threaded=threaded, show=tell) as reporter:
            run = answer_question(engine, question, told.listening(reporter), request.write_questions)
    except BaseException as error:  # noqa: BLE001 -- an interrupt may come where no engine expects it
        ended = last.run(error)  # raises what is none
        return (ended, last.render) if run is None else (run, engine.render)
    return run, engine.render


def _write_answers(run: Run, files: Mapping[OutputFile[Any], Path | None]) -> None:
    """Write the files that show the run."""
    for file, path in files.items():
        if path is not None and file.of_run is not None:
            written = file.of_run(run, path)
            if written.content is not None:
                write(file.flag, path, written.content)
            elif written.graph is not None:
                write(file.flag, path, page_of(run, written.graph))
            note(written.words.format(path=path))


def write_certificates(run: Run, path: Path) -> Run:
    """Write the proofs to one file. Return the run, whose verdicts name the file."""
    from verifier.trust.certificate import dump
    from verifier.trust.certificate_file import join_certificates

    texts = dict(run.certificate_texts)
    for name, certificate in run.certificates.items():
        assert run.model is not None
        texts[name] = dump(run.model, certificate)
    if not texts:
        note(f"no proof, so {path} is not written")
        return run
    # In the order of the verdicts: which proof is found first is chance, and decides nothing.
    verdicts = {verdict.property_name: verdict for verdict in run.outcome.verdicts}
    names = [*(name for name in verdicts if name in texts), *(name for name in texts if name not in verdicts)]
    left = {name: verdict_text(verdict) for name, verdict in verdicts.items() if name not in texts}
    alone = len(names) == 1 and not left
    content = texts[names[0]] if alone else join_certificates([texts[name] for name in names], left)
    write("--certificate", path, content)
    return run.with_files(dict.fromkeys(names, str(path)))
