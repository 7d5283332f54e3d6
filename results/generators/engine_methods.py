"""verifier/api/engine_methods.pyi, from what the engines declare.

Editors complete the options of `spec.bmc(depth=12)` by it, and mypy checks them.
`python -m results.generators.engine_methods` prints it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from verifier.runs.engine import engine_named
from verifier.runs.option import Duration, OneOf, Option, Size, Switch, Whole, Words, list_declared
from verifier.runs.table import ENGINES

_HEAD = '''\
"""The engines as methods of a specification. Made by `make docs` from what each engine declares."""

from collections.abc import Sequence
from typing import Literal

from verifier.api.result import Result

class EngineMethods:
'''
_WIDTH = 106


def stub() -> str:
    """The text of the file."""
    methods = ("\n".join(_method(name)) for name in ENGINES)
    return (_HEAD + "\n".join(methods)).rstrip("\n") + "\n"


def _method(name: str) -> Iterator[str]:
    engine = engine_named(name)
    options = [option for option in list_declared(engine.options).values() if option.name != "properties"]
    yield f"    def {name}("
    yield "        self,"
    yield "        *properties: str,"
    yield from (line for option in options for line in _parameter(option, engine.defaults_in_python))
    yield "    ) -> Result:"
    yield f'        """{ENGINES[name][1]}\n'
    yield "        Options:"
    for option in options:
        words = f"- {option.name}: {option.help}".replace("\\", "\\\\")
        lines = textwrap.wrap(words, _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 10)
        yield from lines
    yield '        """\n'


def _parameter(option: Option, defaults: Mapping[str, Any]) -> Iterator[str]:
    kinds, default = _type(option), repr(defaults.get(option.name, option.default)).replace("'", '"')
    one_line = f"        {option.name}: {kinds} = {default},"
    if len(one_line) <= _WIDTH:
        yield one_line
        return
    assert isinstance(option.kind, OneOf)
    rest = " | None" if option.default is None else ""
    yield f"        {option.name}: Literal["
    yield from (f'            "{word}",' for word in option.kind.words)
    yield f"        ]{rest} = {default},"


def _type(option: Option) -> str:
    """The Python type of the values that the option takes."""
    match option.kind:
        case Switch():
            found = "bool"
        case Whole():
            found = "int"
        case Duration():
            found = "float | str"
        case Size():
            found = "int | str"
        case OneOf():
            found = f"Literal[{', '.join(map(repr, option.kind.words))}]".replace("'", '"')
        case Words():
            found = "str | Sequence[str]"
        case _:
            found = "str"
    return f"{found} | None" if option.default is None else found


if __name__ == "__main__":
    print(stub(), end="")
