"""The document of a command that was ended before it had an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from verifier.printable import json_text
from verifier.verdict import ExitCode, Verdict, VerdictKind

_CERTIFY = "certify"


def document_of_end(group: click.Group, args: Sequence[str], reason: str, seconds: float) -> str | None:
    """Return what is printed in place of the answer, in the format that was asked for. None if text was, or
    the command has no document. ``seconds``: of the command."""
    name = next((word for word in args if not word.startswith("-")), "")
    given = _read_options(group, name, args)
    chosen = given.get("output_format")
    if name == "report":
        return _report(given, reason)
    if chosen != "json":
        return None
    return json_text({"command": name, "ended": reason, **_rest(name, given, reason, seconds)}) + "\n"


def _read_options(group: click.Group, name: str, args: Sequence[str]) -> Mapping[str, Any]:
    """The options of the command line. What is wrong with them is not looked at."""
    context = click.Context(group, resilient_parsing=True)
    command = group.get_command(context, name)
    if command is None:
        return {}
    rest = list(args)
    rest.remove(name)
    return command.make_context(name, rest, context, resilient_parsing=True).params


def _rest(name: str, given: Mapping[str, Any], reason: str, seconds: float) -> Mapping[str, Any]:
    """The keys that the command's object always has."""
    from verifier.runs.table import is_engine

    code = int(ExitCode.INCONCLUSIVE)
    if is_engine(name) or name == _CERTIFY:
        return _run(name, given, reason, seconds)
    if name == "ci":
        manifest = str(given.get("manifest") or "")
        return {"manifest": manifest, "exit_code": code, "interrupted": True, "cells": [], "uncovered": []}
    if name == "sweep":
        return {"folder": str(given.get("out") or ""), "exit_code": code, "interrupted": True}
    return {"exit_code": code}


def _run(name: str, given: Mapping[str, Any], reason: str, seconds: float) -> Mapping[str, Any]:
    """A run without an answer. Of a property that was named, it says that it is open."""
    from verifier.outcomes.content import describe_unanswered
    from verifier.outcomes.run import origin

    spec = given.get("spec_option") or given.get("spec_argument") or given.get("spec") or given.get("path")
    named = tuple(given.get("properties") or ())
    question = {
        "spec": str(spec or ""),
        "spec_hash": "",
        "constants": {},
        "engine": name,
        "options": {"properties": list(named)},
    }
    verdicts = [Verdict(one, VerdictKind.INCONCLUSIVE, None, 0.0, reason) for one in named]
    return describe_unanswered(question, verdicts, origin(), None, seconds)


def _report(given: Mapping[str, Any], reason: str) -> str | None:
    from verifier.report.formats import format_of, render
    from verifier.report.report import Report

    if given.get("out") is not None or given.get("html") is not None:
        return None  # the file stays as it is
    chosen = given.get("output_format") or format_of(None)
    title = given.get("title") or " and ".join(str(run) for run in given.get("runs") or ())
    return None if chosen == "text" else render(Report(title, (), (f"Ended: {reason}.",)), chosen)
