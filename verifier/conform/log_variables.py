"""The environment variable that names the log of a module that reads its log itself."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from verifier.errors import UsageError
from verifier.files import read_text
from verifier.tla.loading import read_module

_READS = re.compile(r"Deserialize\(\s*(?:IOEnv\s*\.\s*(\w+)|(\w+)\s*\))")
_ASKS = re.compile(r"IOEnv\s*\.\s*(\w+)")


def _variables(spec: Path, libraries: Sequence[Path]) -> list[str]:
    """Return the environment variables that name files which the module reads."""
    _, library = read_module(spec, libraries)
    whole = "\n".join(read_text(file) for file in library.files)
    variables = dict[str, None]()
    for direct, name in _READS.findall(whole):
        if direct:
            variables[direct] = None
            continue
        definition = re.search(rf"^\s*{re.escape(name)}\s*==(.*?)(?=^\S*\s*==|\Z)", whole, re.M | re.S)
        for variable in _ASKS.findall(definition[1].split("\n\n")[0] if definition else ""):
            variables[variable] = None
    return list(variables)


def choose_variable(spec: Path, libraries: Sequence[Path], named: str | None) -> str:
    """Return the environment variable that names the log. Raises UsageError if it is not clear."""
    if named is not None:
        return named
    variables = _variables(spec, libraries)
    others = [name for name in variables if name not in os.environ]
    chosen = variables if len(variables) == 1 else others
    if len(chosen) == 1:
        return chosen[0]
    if not variables:
        words = "Give a mapping with --map FILE; --draft proposes one"
        raise UsageError(f"{spec} does not read its log itself (no IOEnv). {words}")
    words = f"{spec} reads files that {', '.join(variables)} name: say which is the log, --env NAME"
    raise UsageError(f"{words}, and set the others in the environment")
