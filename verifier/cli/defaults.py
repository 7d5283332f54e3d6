"""Defaults of options: ``[tool.verify]`` in the pyproject.toml of the project that one works in.

What stands there directly is for every engine that has such an option, ``[tool.verify.bmc]`` for one. The
file is in the working folder, or in the nearest folder above it, up to the root of a git repository.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from verifier.errors import UsageError, make_unknown_name_error
from verifier.files import reason_of, text_of
from verifier.runs.engine import Engine, engine_named
from verifier.runs.option import list_declared
from verifier.runs.table import ENGINES

FILE = "pyproject.toml"


def project_defaults(engine: Engine[Any], folder: Path) -> tuple[Path | None, Mapping[str, Any]]:
    """The file that has defaults, and those of an engine, checked. Raises UsageError for what is not allowed.

    The whole table is checked, that of other engines too: a typo is not found the day another engine runs.
    """
    for path in _candidates(folder):
        table = _table(path)
        if table is not None:
            return path, _check(path, table)[engine.name]
    return None, {}


def _candidates(folder: Path) -> Iterator[Path]:
    """The files that may have defaults, the nearest first."""
    above = [folder, *folder.parents]
    roots = [place for place, one in enumerate(above) if (one / ".git").exists()]
    # Beyond a repository, or where there is none, a file may be anyone's.
    for one in above[: roots[0] + 1] if roots else above[:1]:
        if (one / FILE).is_file():
            yield one / FILE


def _table(path: Path) -> Mapping[str, Any] | None:
    try:
        table = tomllib.loads(text_of(path)).get("tool", {}).get("verify")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason_of(error)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    if table is not None and not isinstance(table, Mapping):
        raise UsageError(f"{path}: [tool.verify] is a table of options, not {table!r}")
    return table


def _check(path: Path, table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The defaults of each engine."""
    engines = {name: engine_named(name) for name in ENGINES}
    known = {option for engine in engines.values() for option in list_declared(engine.options)}
    tables = {name: value for name, value in table.items() if isinstance(value, Mapping)}
    shared = {name: value for name, value in table.items() if name not in tables}
    defaults: dict[str, dict[str, Any]] = {}
    try:
        for name in tables:
            if name not in engines:
                raise make_unknown_name_error("engine", name, engines)
        for name in shared:
            if name not in known:
                raise make_unknown_name_error("option", name, sorted(known))
        for name, engine in engines.items():
            own = list_declared(engine.options)
            fitting = {option: value for option, value in shared.items() if option in own}
            defaults[name] = engine.parse_options(fitting | dict(tables.get(name, {})))
    except UsageError as error:
        raise UsageError(f"{path}: [tool.verify]: {error}") from None
    return defaults
