"""``verify watch``."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import note, say
from verifier.cli.parameters import COUNT, DURATION, one_of
from verifier.cli.specs import find_named_spec, parse_settings, reading_of, spec_options
from verifier.errors import UsageError
from verifier.runs.table import ENGINES
from verifier.specs.built_in import BUILT_IN

if TYPE_CHECKING:
    from verifier.server.watching import Look, Watched

_POLL_SECONDS = 0.3
_ENGINE_HELP = "The engine that checks. [default: check]"
_PROPERTY_HELP = "A property to check; may be repeated. [default: those checked by default]"
_DEPTH_HELP = "The largest number of actions in an execution, for engines with a depth."


@click.command("watch", cls=GroupedCommand)
@spec_options
@click.option(
    "--engine", type=one_of(tuple(ENGINES)), metavar="NAME", default="check", help=_ENGINE_HELP
)
@click.option("--property", "properties", multiple=True, metavar="NAME", help=_PROPERTY_HELP)
@click.option("--depth", type=COUNT, help=_DEPTH_HELP)
@click.option("--timeout", type=DURATION, help="End each check after this time: 90, 90s, 2m, 1h.")
def command(
    spec_option: str | None,
    spec_argument: str | None,
    settings: tuple[str, ...],
    engine: str,
    properties: tuple[str, ...],
    depth: int | None,
    timeout: float | None,
) -> int:
    """Check a spec again whenever a file that it read changes, until Ctrl-C.

    Prints the verdicts, lengths and counts that changed. A verdict is kept if neither the property nor the
    behaviour of the spec changed. If a file changes during a check, that check ends, and a new one begins.

    \b
    Examples:
      verify watch TwoPhase.tla
      verify watch my_protocol.py --engine bmc --depth 8
    """
    from verifier.server.watching import Watched

    spec = find_named_spec(spec_option, spec_argument)
    if spec in BUILT_IN:
        raise UsageError(f"{spec} is built in, and has no file to watch: verify check {spec} checks it")
    limits = {"depth": depth, "timeout": timeout}
    options = {name: value for name, value in limits.items() if value is not None}
    reading = reading_of(spec)
    watched = Watched(spec, parse_settings(settings), reading, engine, properties, options)
    return _Watching(watched).run()


class _Watching:
    """The loop of the command."""

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.code = 0

    def run(self) -> int:
        """Check and wait, until the user ends it. Returns the exit code of the last check."""
        try:
            while True:
                self._check()
                while not (changed := self.watched.changed()):
                    time.sleep(_POLL_SECONDS)
                say("")
                say(f"{time.strftime('%H:%M:%S')} {', '.join(str(path) for path in changed)} changed")
        except KeyboardInterrupt:
            return self.code

    def _check(self) -> None:
        """Check once. A change of a file ends the check."""
        from verifier.server.calls import Call
        from verifier.server.problems import explain_failure

        call, answer = Call(note), _Answer()

        def work() -> None:
            try:
                answer.look = self.watched.look(call)
            except Exception as error:  # noqa: BLE001 -- it is said, and the files are watched on
                answer.problem = explain_failure(error).as_object()

        thread = threading.Thread(target=work)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(_POLL_SECONDS)
                if self.watched.changed():
                    call.cancelled.set()
        except KeyboardInterrupt:
            call.cancelled.set()
            thread.join()
            raise
        self._tell(answer)

    def _tell(self, answer: _Answer) -> None:
        if answer.look is None:
            words = str((answer.problem or {}).get("message", ""))
            if not any(self.watched.stamps.values()):
                raise UsageError(words)
            note(f"verify: {words}")
            return
        look = answer.look
        self.code = look.exit_code
        if look.text:
            for line in look.text.rstrip().split("\n"):
                say(line)
        if look.kept:
            say(f"kept, since nothing of it changed: {', '.join(look.kept)}")
        for words in look.changes:
            say(words)


class _Answer:
    """The answer of the thread that checks."""

    look: Look | None = None
    problem: Mapping[str, Any] | None = None
