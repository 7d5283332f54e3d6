"""Completes words of a shell: files, specs, and of a spec the properties and constants."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from verifier.specs.protocol import Protocol

CONFIG, LIBRARIES = "verifier.cli.specs.config", "verifier.cli.specs.library"
"""The keys under which the command line keeps the configuration and the folders of a TLA+ module."""
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def files(incomplete: str) -> list[CompletionItem]:
    """Any file; the shell knows them."""
    return [CompletionItem(incomplete, type="file")]


def specs(incomplete: str) -> list[CompletionItem]:
    """The built-in protocols, Python files and TLA+ modules, and folders."""
    from verifier.specs.built_in import BUILT_IN

    named = [CompletionItem(name) for name in BUILT_IN if name.startswith(incomplete)]
    folder, _, start = incomplete.rpartition("/")
    before = f"{folder}/" if "/" in incomplete else ""
    try:
        beside = sorted(Path(before or ".").iterdir())
    except OSError:
        beside = []
    files = [item for item in beside if item.name.startswith(start) and (start or item.name[0] != ".")]
    return [
        *named,
        *(CompletionItem(f"{before}{item.name}") for item in files if item.suffix in (".py", ".tla")),
        *(CompletionItem(f"{before}{item.name}/", type="dir") for item in files if item.is_dir()),
    ]


def commands(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The commands of verify."""
    group = context.find_root().command
    names = group.list_commands(context) if isinstance(group, click.Group) else []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def make_completer(what: str) -> Complete:
    """Completes the ``properties``, ``temporal`` properties or ``constants`` of the spec that stands on the
    command line before."""
    names = {"properties": _properties, "temporal": _temporal, "constants": _constants}[what]

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        given = (context.params.get("spec_option"), context.params.get("spec_argument"), *context.args)
        spec = next((word for word in given if word), None)  # click stops at the option that lacks its value
        if spec is None:
            return []
        from verifier.specs.registry import load

        try:
            known = _of_module(what, spec, context) if spec.endswith(".tla") else names(load(spec))
            matches = [name for name in known if name.startswith(incomplete)]
        except Exception:  # noqa: BLE001 -- a file of one's own may raise anything; the command says what
            return []
        return [CompletionItem(name) for name in matches]

    return complete


def _of_module(what: str, spec: str, context: click.Context) -> list[str]:
    """Complete names of a TLA+ module: those in its configuration, then its operators that could be named."""
    from verifier.runs.modules.loading import load, operators
    from verifier.tla.facts import STATE, TEMPORAL

    config, libraries = context.meta.get(CONFIG), context.meta.get(LIBRARIES) or ()
    module = load(spec, {}, config, libraries)
    if what == "constants":
        return [f"{constant.name}=" for constant in module.specification.module.constants]
    temporal = what == "temporal"
    named = module.definition.temporal if temporal else module.definition.properties
    others = operators(module.specification, (TEMPORAL,) if temporal else (STATE,))
    return list(dict.fromkeys(("all", *(prop.name for prop in named), *others)))


def _properties(kind: type[Protocol]) -> Iterator[str]:
    from verifier.specs.definition import PropertyKind
    from verifier.specs.members import PropertyMember
    from verifier.specs.names import TYPE_INVARIANT, claim_title

    yield "all"
    members = {name: inspect.getattr_static(kind, name) for name in dir(kind)}
    properties = {name: item for name, item in members.items() if isinstance(item, PropertyMember)}
    yield from (claim_title(kind, name, item.name) for name, item in properties.items())
    if all(item.kind is not PropertyKind.TYPE_INVARIANT for item in properties.values()):
        yield TYPE_INVARIANT


def _temporal(kind: type[Protocol]) -> Iterator[str]:
    from verifier.specs.names import claim_title
    from verifier.specs.temporal_members import TemporalMember

    yield "all"
    members = {name: inspect.getattr_static(kind, name) for name in dir(kind)}
    temporal = ((name, item) for name, item in members.items() if isinstance(item, TemporalMember))
    yield from (claim_title(kind, name, item.name) for name, item in temporal)


def _constants(kind: type[Protocol]) -> Iterator[str]:
    from verifier.specs.constants import constants_of

    yield from (f"{name}=" for name in constants_of(kind))
