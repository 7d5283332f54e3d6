"""``verify serve``."""

from __future__ import annotations

from importlib import import_module

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.parameters import one_of
from verifier.errors import UsageError
from verifier.processes.stacks import make_room_for_recursion

_PROTOCOLS = ("json-rpc", "mcp", "lsp")
_MODULES = {"mcp": "verifier.server.mcp_tools", "lsp": "verifier.server.editor.language_server"}
"""The protocols that need a package more, each with the module that answers it."""
_PROTOCOL_HELP = (
    "json-rpc: JSON-RPC 2.0, one message on each line. mcp: the Model Context Protocol, for agents. "
    "lsp: the Language Server Protocol, for editors. [default: json-rpc]"
)


@click.command("serve", cls=GroupedCommand)
@click.option(
    "--protocol", type=one_of(_PROTOCOLS), metavar="NAME", default="json-rpc", help=_PROTOCOL_HELP
)
def command(protocol: str) -> int:
    """Answer requests of a program on standard input and output, until the input ends.

    One process keeps specifications open. It loads and checks them, and steps through their states.
    docs/server.md lists the requests. The process opens no network port. It reads and runs only files that a
    request names, and files that those files name. It writes no files.

    \b
    Examples:
      verify serve
      verify serve --protocol mcp
      verify serve --protocol lsp

    \b
    A session, where each line is a message:
      {"jsonrpc":"2.0","id":1,"method":"load","params":{"spec":"kip320"}}
      {"jsonrpc":"2.0","id":2,"method":"successors"}
      {"jsonrpc":"2.0","id":3,"method":"check","params":{"engine":"bmc"}}
    """
    make_room_for_recursion()
    if protocol in _MODULES:
        try:
            module = import_module(_MODULES[protocol])
        except ModuleNotFoundError as error:
            raise missing_package(error, protocol) from None
        module.serve()
        return 0
    from verifier.server.json_rpc import JsonRpcServer
    from verifier.server.streams import claim_streams

    incoming, outgoing = claim_streams()
    JsonRpcServer(outgoing).serve(incoming)
    return 0


def missing_package(error: ModuleNotFoundError, protocol: str) -> UsageError:
    """Return the error for a protocol whose package is not installed. Raises other errors again."""
    package = (error.name or "").partition(".")[0]
    if package == "verifier":
        raise error
    words = "pip install 'protoverify[server]' installs it"
    return UsageError(f"--protocol {protocol} needs the package {package}: {words}")
