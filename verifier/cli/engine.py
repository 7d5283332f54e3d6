"""The command of an engine, made from the engine's declaration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from verifier.cli.completion import make_completer
from verifier.cli.defaults import project_defaults
from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import format_option, html_option, note, write
from verifier.cli.parameters import FolderParameter, Parameter
from verifier.cli.paths import FileToWrite
from verifier.cli.specs import (
    find_named_spec,
    list_lemmas,
    parse_settings,
    reading_of,
    reading_within,
    spec_options,
)
from verifier.errors import UsageError
from verifier.runs.engine import Engine, OutputFile
from verifier.runs.option import Folder, Option, Switch, Words, list_declared
from verifier.runs.table import engine_named

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.question import Question
    from verifier.system.model import Model

_FULL_HELP = "Show whole states with changes marked by a star, instead of changes only; show all of a proof."
_TRACE_HELP = (
    "Write the counterexample as ITF JSON, for verify replay. If several properties are violated, "
    "T.itf.json has the first and T.NAME.itf.json each other one."
)
_CERTIFICATE_HELP = "Write all proofs to one file, for verify certify. It also lists what was not proved."
_DEFAULTS = "verifier.cli.defaults"
_CHOSEN = "chosen_lemmas"
"""The field of the options of an engine that chooses among a protocol's lemmas."""
_LEAST_SECONDS_OF_READING = 2.0
"""The time that a Python protocol has at least, until its code has run."""
Decorator = Callable[[Callable[..., int]], Callable[..., int]]


class _EngineCommand(GroupedCommand):
    """A command whose options have the defaults of the project."""

    engine: Engine[Any]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes the arguments. Raises UsageError if the project's defaults are not allowed."""
        asks_for_help = any(word in ctx.help_option_names for word in args)
        if not ctx.resilient_parsing and not asks_for_help:
            path, defaults = project_defaults(self.engine, Path.cwd())
            ctx.default_map = dict(defaults)
            ctx.meta[_DEFAULTS] = path
        return super().parse_args(ctx, args)


class _Switch(click.Option):
    """A switch that can be turned off, though its help shows only how it is turned on."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The help without the form that turns it off."""
        off, self.secondary_opts = self.secondary_opts, []
        try:
            return super().get_help_record(ctx)
        finally:
            self.secondary_opts = off


class _Valued(click.Option):
    """An option whose help shows its current name, though it accepts a former one."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the help without the former name."""
        names, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = names


def engine_command(name: str) -> click.Command:
    """The command ``verify NAME``."""
    engine = engine_named(name)

    def run(**given: Any) -> int:
        return _run(engine, given)

    function: Callable[..., int] = run
    for decorator in reversed(list(_options(engine))):
        function = decorator(function)
    function = spec_options(function, proves=engine.writes_certificates)
    made = click.command(name, cls=_EngineCommand, help=engine.help)(function)
    made.engine = engine
    return made


def _options(engine: Engine[Any]) -> Iterator[Decorator]:
    """Yield a decorator for each option. The help has them in groups of its own."""
    known = dict(list_declared(engine.options))
    yield _option(known.pop("properties"), "temporal" if engine.decides_temporal else "properties")
    expect = known.pop("expect")
    yield from map(_option, known.values())
    yield format_option
    yield html_option
    yield click.option("--full", is_flag=True, help=_FULL_HELP)
    if engine.writes_traces:
        yield _file("--trace-out", _TRACE_HELP)
    if engine.writes_certificates:
        yield _file("--certificate", _CERTIFICATE_HELP)
    for file in engine.files:
        yield _file(file.flag, file.help)
    yield _option(expect)


def _file(flag: str, words: str) -> Decorator:
    return click.option(flag, type=FileToWrite(), metavar="FILE", help=words)


def _option(option: Option, completes: str = "properties") -> Decorator:
    shown = option.default is not None and option.default is not False
    common: dict[str, Any] = {"default": option.default, "help": option.help, "show_default": shown}
    if isinstance(option.kind, Switch):
        both = bool(option.default or option.kind.both_ways)
        flags = f"{option.flag}/--no-{option.flag[2:]}"
        kind_of_option = click.Option if both else _Switch
        return click.option(
            flags, option.name, is_flag=True, cls=kind_of_option, **{**common, "show_default": both}
        )
    if isinstance(option.kind, Words):
        metavar, complete = option.kind.metavar, make_completer(completes)
        return click.option(
            option.flag,
            option.name,
            multiple=True,
            metavar=metavar,
            help=option.help,
            shell_complete=complete if option.name == "properties" else None,
        )
    of_kind = FolderParameter if isinstance(option.kind, Folder) else Parameter
    kind = of_kind(option.kind, option.name)
    names = [flag for flag in (option.flag, option.former_flag) if flag is not None]
    return click.option(*names, option.name, cls=_Valued, type=kind, metavar=option.metavar, **common)


def _run(engine: Engine[Any], given: dict[str, Any]) -> int:
    """Runs the engine, prints, writes files, and returns the exit code."""
    began = time.monotonic()
    from verifier.cli.last_word import LastWord, write_run
    from verifier.cli.reporter import Reporter
    from verifier.cli.running import Display, announce, check_targets, show, show_known
    from verifier.processes.interrupts import speak_last, terminable
    from verifier.processes.limits import Limits
    from verifier.runs.asking import answer_question, make_question
    from verifier.runs.loaded import TLA
    from verifier.runs.loading import load
    from verifier.runs.told import ToldVerdicts

    _say_defaults(engine)
    spec = find_named_spec(given.pop("spec_option"), given.pop("spec_argument"))
    own = given.get("lemmas")
    chooses = _CHOSEN in engine.options.__dataclass_fields__
    reading = reading_of(spec, own if isinstance(own, tuple) else (), chooses=chooses)
    if chooses and not spec.endswith(TLA):
        given[_CHOSEN] = list_lemmas()
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
    targets = {"--certificate": certificate, **{file.flag: path for file, path in files.items()}}
    check_targets(shown, targets, question.properties)

    def write_questions(model: Model) -> None:
        _write_questions(question, model, files)

    announce(question.definition, engine.announcement(question), for_all=engine.for_all(question))
    tell = partial(show_known, shown=shown)
    progress, threaded = engine.progress(), not engine.forks_late
    told = ToldVerdicts(question)
    last = LastWord(engine, told)
    speak_last(partial(last.write, shown))
    run, render = None, engine.render
    try:
        with terminable(), Reporter(progress, threaded=threaded, show=tell) as reporter:
            run = answer_question(engine, question, told.listening(reporter), write_questions)
    except BaseException as error:  # noqa: BLE001 -- an interrupt may come where no engine expects it
        ended = last.run(error)  # raises what is none
        run, render = (ended, last.render) if run is None else (run, render)
    speak_last(partial(write_run, run, shown, render))
    refused: UsageError | None = None
    if certificate is not None:
        try:
            run = _with_certificates(run, certificate)
        except UsageError as error:  # the answer is printed all the same
            refused = error
    code = show(run, shown, render)
    _write_answers(run, files)
    if refused is not None:
        raise refused
    return code


def _say_defaults(engine: Engine[Any]) -> None:
    """Says which options the project's file gives, so that a run does not surprise."""
    context = click.get_current_context()
    used = [
        " ".join(known.words(context.params[name])) or f"no {known.flag}"
        for name, known in list_declared(engine.options).items()
        if context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
    ]
    if used:
        note(f"{context.meta[_DEFAULTS]} gives {' '.join(used)}")


def _write_questions(
    question: Question[Any], model: Model, files: Mapping[OutputFile[Any], Path | None]
) -> None:
    for file, path in files.items():
        if path is not None and file.of_question is not None:
            write(file.flag, path, file.of_question(question, model))


def _write_answers(run: Run, files: Mapping[OutputFile[Any], Path | None]) -> None:
    from verifier.cli.running import page_of

    for file, path in files.items():
        if path is not None and file.of_run is not None:
            written = file.of_run(run, path)
            if written.content is not None:
                write(file.flag, path, written.content)
            elif written.graph is not None:
                write(file.flag, path, page_of(run, written.graph))
            note(written.words.format(path=path))


def _with_certificates(run: Run, path: Path) -> Run:
    """The run, its proofs in one file that their verdicts name."""
    from verifier.text.run import verdict_text
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
