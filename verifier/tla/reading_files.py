"""The operators of Json and CSV that read: values as JSON, and files with values. Nothing is written.

Source: the modules Json and CSV of tlaplus/CommunityModules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError
from verifier.files import read_text
from verifier.tla import ast
from verifier.tla.errors import LARGEST
from verifier.tla.order import text
from verifier.tla.primitives import Make, sequence, simple, with_evaluator
from verifier.tla.value_types import Boolean, Fn, ForeignValue, ModelValue, NoValue, Value, boolean, function
from verifier.tla.values import is_function, is_set, members, pairs_of

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


def _from_file(compute: Callable[..., Value]) -> Make:
    """Make an operator whose last argument names a file. The path is relative to the working directory, as in
    TLC, or else to the module's folder."""

    def make(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
        folder = Path(whole.place.file).parent

        def value(*given: Value) -> Value:
            *others, name = given
            if type(name) is not str:
                raise NoValue("the name of a file is expected here, as a string")
            path = Path(name)
            value = compute(*others, path if path.exists() else folder / name)
            _meet(value, evaluator)
            return value

        return simple(value)(evaluator, whole, arguments)

    return make


def _meet(value: Value, evaluator: Evaluator) -> None:
    """Register strings: TLC orders them as they are read."""
    match value:
        case str():
            evaluator.order.meet(value)
        case tuple():
            for item in value:
                _meet(item, evaluator)
        case Fn():
            for key, item in value.items():
                _meet(key, evaluator)
                _meet(item, evaluator)


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except UsageError as error:
        raise NoValue(str(error)) from None


class _Reader:
    """Makes TLA+ values of the JSON in a file. What TLA+ has no value for is an error where it is used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.foreign: dict[str, ForeignValue] = {}

    def value(self, made: Any) -> Value:
        """Return the TLA+ value of a JSON value."""
        match made:
            case bool():
                return boolean(made)
            case int() | float() if not -LARGEST <= made <= LARGEST and float(made).is_integer():
                return self._foreign(str(made), "is beyond TLC's integers of 32 bits")
            case float() if not made.is_integer():
                return self._foreign(str(made), "is not an integer, so TLA+ has no value for it")
            case int() | float():
                return int(made)
            case str():
                return made
            case list():
                return tuple(map(self.value, made))
            case dict():
                return function({name: self.value(one) for name, one in made.items()})
        return self._foreign("null", "has no value in TLA+")

    def _foreign(self, written: str, words: str) -> ForeignValue:
        made = ForeignValue(written, f"{self.path}: {written} {words}")
        return self.foreign.setdefault(written, made)

    def parse(self, written: str, line: int = 1) -> Value:
        """Return the value of a JSON text, which begins at this line."""
        try:
            return self.value(json.loads(written))
        except json.JSONDecodeError as error:
            place = f"{self.path}:{error.lineno + line - 1}:{error.colno}"
            raise NoValue(f"{place}: no JSON: {error.msg}") from None
        except RecursionError:
            raise NoValue(f"{self.path}: is nested too deeply") from None


def _json(path: Path) -> Value:
    return _Reader(path).parse(_read(path))


def read_json_lines(path: Path) -> tuple[Value, ...]:
    """Return the values of a file, one on each line. Raises NoValue for a line that is no JSON."""
    lines, reader = enumerate(_read(path).split("\n"), 1), _Reader(path)
    return tuple(reader.parse(line, number) for number, line in lines if line.strip())


def _records(path: Path) -> Value:
    return len(_read(path).splitlines()) if path.exists() else 0


def _table(columns: Value, delimiter: Value, path: Path) -> Value:
    """Return the lines of a file as records of strings. As in TLC, quotes have no meaning."""
    names = sequence(columns)
    if type(delimiter) is not str or not delimiter:
        raise NoValue("CSVRead takes a delimiter, as a string")
    rows = []
    for number, line in enumerate(_read(path).splitlines(), 1):
        fields = line.split(delimiter)
        if len(fields) < len(names):
            raise NoValue(f"{path}:{number}: {len(names)} columns are expected, {len(fields)} are here")
        rows.append(Fn(zip(names, fields, strict=False)))
    return tuple(rows)


def _as_json(evaluator: Evaluator, value: Value) -> str:
    match value:
        case Boolean():
            return "true" if value.truth else "false"
        case int() | str():
            return json.dumps(value, ensure_ascii=False)
        case ModelValue():
            return json.dumps(value.name)
        case ForeignValue():
            return value.written
        case _ if is_set(value):
            return _array(evaluator, evaluator.order.walk(frozenset(members(value))))
        case tuple():
            return _array(evaluator, value)
        case _ if is_function(value):
            return _object(evaluator, pairs_of(value))
    raise NoValue("a value that JSON has no form for")


def _array(evaluator: Evaluator, items: Iterable[Value]) -> str:
    return f"[{','.join(_as_json(evaluator, item) for item in items)}]"


def _object(evaluator: Evaluator, pairs: dict[Value, Value]) -> str:
    keys = evaluator.order.sort(frozenset(pairs))
    named = ((key if type(key) is str else text(key, evaluator.order), pairs[key]) for key in keys)
    parts = (f"{json.dumps(key, ensure_ascii=False)}:{_as_json(evaluator, one)}" for key, one in named)
    return f"{{{','.join(parts)}}}"


def _to_array(evaluator: Evaluator, value: Value) -> str:
    return _as_json(evaluator, value) if is_set(value) else _array(evaluator, sequence(value))


def _to_object(evaluator: Evaluator, value: Value) -> str:
    if type(value) is tuple:
        return _object(evaluator, dict(enumerate(value)))
    return _object(evaluator, pairs_of(value))


FILES: dict[str, Make] = {
    "ToJson": with_evaluator(_as_json),
    "ToJsonArray": with_evaluator(_to_array),
    "ToJsonObject": with_evaluator(_to_object),
    "JsonDeserialize": _from_file(_json),
    "ndJsonDeserialize": _from_file(read_json_lines),
    "CSVRecords": _from_file(_records),
    "CSVRead": _from_file(_table),
}
"""The operators by name."""
READERS = frozenset(("JsonDeserialize", "ndJsonDeserialize", "CSVRecords", "CSVRead"))
"""Those of them that read a file."""
WRITING = frozenset({
    "JsonSerialize", "ndJsonSerialize", "CSVWrite", "CSVWriteRecord", "Serialize", "IOSerialize",
    "IOExec", "IOEnvExec", "IOExecTemplate", "IOEnvExecTemplate",
})  # fmt: skip
"""Operators that write files or run programs. They are refused, because a search evaluates an expression as
often as it needs."""
