"""``verify open``."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import say
from verifier.cli.specs import find_named_spec, parse_settings, reading_of, spec_options
from verifier.errors import UsageError

_TRACE = ".json"
_TRACE_HELP = "Begin with the execution in a trace file (ITF JSON)."


@click.command("open", cls=GroupedCommand)
@spec_options
@click.option("--trace", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help=_TRACE_HELP)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    default=0,
    help="The port of the page's address. [default: any free port]",
)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def command(
    spec_option: str | None,
    spec_argument: str | None,
    settings: tuple[str, ...],
    trace: Path | None,
    port: int,
    no_browser: bool,
) -> int:
    """Walk through the states of a spec in the browser, until Ctrl-C.

    The page shows a state, its properties, the next steps with what they change, and why other actions are
    disabled. It is served on this machine only, at an address that has a token.

    \b
    Examples:
      verify open kip320
      verify open TwoPhase.tla --config Small.cfg
      verify open kip320-first-try --trace trace.itf.json
    """
    from verifier.server.calls import Call
    from verifier.server.session import Session
    from verifier.server.table import REQUESTS
    from verifier.server.web import WalkServer

    spec = find_named_spec(spec_option, spec_argument)
    if spec.endswith(_TRACE):
        raise UsageError(f"{spec} is a trace: name its spec, verify open SPEC --trace {spec}")
    session = Session()
    one = session.load(spec, parse_settings(settings), reading_of(spec), None)
    if trace is not None:
        REQUESTS["follow"].run(session, Call(), {"spec": one.name, "trace": str(trace)})
    server = WalkServer(session, one, port)
    say(server.url)
    if not no_browser:
        webbrowser.open(server.url)
    try:
        server.serve()
    except KeyboardInterrupt:
        return 0
    return 0
