"""Generated tests: modules for pytest and Hypothesis, and the stub of an adapter.

The generated text is plain: names of actions become methods, and all else is the same in each module.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifier.testing.graphs import Outline

_OWN = ("start", "close", "read_state")
"""Methods of an adapter that are no actions."""


@dataclass(frozen=True)
class Origin:
    """The place of a specification, as a generated module loads it."""

    spec: str
    """A name, or a path relative to the module."""
    settings: Mapping[str, str] = field(default_factory=dict)
    config: str | None = None
    libraries: tuple[str, ...] = ()


def module_name(spec: str) -> str:
    """Return the name of a specification as the one of a Python module."""
    return _identifier(_small(Path(spec).stem))


def class_name(spec: str) -> str:
    """Return the name of a specification as the one of a Python class."""
    return "".join(word.capitalize() for word in module_name(spec).split("_"))


def _identifier(name: str) -> str:
    plain = re.sub(r"\W", "_", name)
    plain = plain if plain and not plain[0].isdigit() else f"_{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def method_names(outline: Outline) -> dict[str, str]:
    """Return the names of an adapter's methods for the actions: in small letters, where these stay apart."""
    names = {action: _identifier(_small(action)) for action in outline.actions}
    names = names if len(set(names.values())) == len(names) else {one: _identifier(one) for one in names}
    return {action: f"do_{name}" if name in _OWN else name for action, name in names.items()}


def _small(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def adapter_stub(outline: Outline) -> str:
    """Return an adapter whose methods are to be written."""
    names = method_names(outline)
    methods = (
        f"""
    def {names[action]}(self{"".join(f", {_identifier(one)}: Any" for one in parameters)}) -> None:
        \"\"\"Perform {action}.\"\"\"
        raise NotImplementedError({_quote(action)})
"""
        for action, parameters in outline.actions.items()
    )
    return _ADAPTER.format(
        spec=outline.spec,
        name=class_name(outline.spec),
        variables=", ".join(outline.variables),
        methods="".join(methods),
    )


def pytest_module(outline: Outline, files: Iterable[str]) -> str:
    """Return a module that runs the executions in files against the adapter."""
    names = method_names(outline)
    actions = (
        f"    {_quote(action)}: ({_quote(names[action])}, {_tuple(parameters)}),"
        for action, parameters in outline.actions.items()
    )
    return _PYTEST.format(
        spec=outline.spec,
        module=module_name(outline.spec),
        name=class_name(outline.spec),
        files="\n".join(f"    {_quote(file)}," for file in files),
        actions="\n".join(actions),
    )


def hypothesis_module(outline: Outline, origin: Origin) -> str:
    """Return a Hypothesis state machine that runs the adapter beside the specification."""
    names = method_names(outline)
    rules = (
        f"""
    @precondition(lambda self: bool(self.model.choices({_quote(action)})))
    @rule(data=st.data())
    def rule_{names[action]}(self, data: st.DataObject) -> None:
        \"\"\"Perform {action}, where its guard holds.\"\"\"
        given = data.draw(st.sampled_from(self.model.choices({_quote(action)})))
        self.adapter.{names[action]}(*given.values())
        self.model.follow({_quote(action)}, given, self.adapter.read_state())
"""
        for action in outline.actions
    )
    claims = (
        f"""
    @invariant()
    def invariant_{_identifier(_small(name))}(self) -> None:
        \"\"\"{name} holds.\"\"\"
        assert self.model.holds({_quote(name)})
"""
        for name in outline.invariants
    )
    return _HYPOTHESIS.format(
        spec=outline.spec,
        module=module_name(outline.spec),
        name=class_name(outline.spec),
        load=_arguments(origin),
        rules="".join(rules),
        invariants="".join(claims),
    )


def _arguments(origin: Origin) -> str:
    given = [f"FOLDER / {_quote(origin.spec)}" if _is_file(origin.spec) else _quote(origin.spec)]
    if origin.settings:
        given.append(f"settings={_quote(dict(origin.settings))}")
    if origin.config is not None:
        given.append(f"config=FOLDER / {_quote(origin.config)}")
    if origin.libraries:
        listed = ", ".join(f"FOLDER / {_quote(path)}" for path in origin.libraries)
        given.append(f"libraries=[{listed}]")
    return ", ".join(given)


def _is_file(spec: str) -> bool:
    return spec.endswith(".tla") or ".py" in spec


def _quote(value: Any) -> str:
    """Return a text, or a dictionary of texts, as a literal of Python."""
    return json.dumps(value, ensure_ascii=False)


def _tuple(names: Iterable[str]) -> str:
    return "(" + "".join(f"{_quote(name)}, " for name in names).rstrip(" ") + ")"


_ADAPTER = '''"""The adapter between the tests of {spec} and an implementation.

`verify tests` wrote this stub once and never overwrites it. Fill in the methods.
"""

from __future__ import annotations

from typing import Any


class {name}Adapter:
    """An implementation of {spec}, driven by its actions."""

    def start(self, state: dict[str, Any]) -> None:
        """Start the implementation in an initial state, given by its variables."""
        raise NotImplementedError("start")

    def close(self) -> None:
        """Stop the implementation: its processes, files and ports."""

    def read_state(self) -> dict[str, Any]:
        """Return the variables that can be read, by name; the others are not compared.

        Values are as in the executions: None for an empty option, a set or list for a set, a list for a
        sequence, a dict with keys as text for a function or record. The variables: {variables}.
        """
        raise NotImplementedError("read_state")
{methods}'''

_PYTEST = '''"""Executions of {spec}, run against its implementation.

`verify tests` makes this file: do not edit it. The implementation is behind the adapter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from {module}_adapter import {name}Adapter

FOLDER = Path(__file__).parent
EXECUTIONS = [
{files}
]
ACTIONS: dict[str, tuple[str, tuple[str, ...]]] = {{
{actions}
}}
"""The method of the adapter for each action, and the names of its parameters."""


@pytest.fixture
def adapter() -> Iterator[{name}Adapter]:
    """An adapter, which is closed after the test."""
    made = {name}Adapter()
    yield made
    made.close()


def agrees(seen: Any, expected: Any) -> bool:
    """True if a value of the implementation is the one of the specification."""
    if isinstance(seen, (set, frozenset)):
        rest = list(expected) if isinstance(expected, list) else [None] * (len(seen) + 1)
        return len(seen) == len(rest) and all(any(agrees(one, other) for other in rest) for one in seen)
    if isinstance(seen, dict) and isinstance(expected, dict):
        named = {{str(key): value for key, value in seen.items()}}
        return named.keys() == expected.keys() and all(agrees(named[key], expected[key]) for key in named)
    if isinstance(seen, (list, tuple)) and isinstance(expected, list):
        return len(seen) == len(expected) and all(map(agrees, seen, expected))
    return isinstance(seen, bool) == isinstance(expected, bool) and bool(seen == expected)


def check_state(adapter: {name}Adapter, expected: dict[str, Any], place: str) -> None:
    """Compare the variables that the adapter reads with those of the specification."""
    for name, value in adapter.read_state().items():
        assert name in expected, f"{{place}}: the specification has no variable {{name}}"
        words = f"{{place}}: {{name}} is {{value!r}}, and the specification says {{expected[name]!r}}"
        assert agrees(value, expected[name]), words


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_execution(adapter: {name}Adapter, execution: str) -> None:
    """After each action, the implementation is in the state of the specification."""
    lines = (FOLDER / execution).read_text(encoding="utf-8").splitlines()
    first, *events = map(json.loads, lines)
    adapter.start(first["state"])
    check_state(adapter, first["state"], f"{{execution}}:1: at the start")
    for number, event in enumerate(events, 2):
        method, names = ACTIONS[event["action"]]
        given = [event["parameters"].get(name) for name in names]
        getattr(adapter, method)(*given)
        place = f"{{execution}}:{{number}}: after {{event['action']}}{{event['parameters']}}"
        check_state(adapter, event["state"], place)
'''

_HYPOTHESIS = '''"""Random executions of {spec}, run against its implementation by Hypothesis.

`verify tests` makes this file: do not edit it. Rules are the actions, preconditions their guards, and
invariants those of the specification. The implementation is behind the adapter.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from {module}_adapter import {name}Adapter
from verifier.testing.model import Model, load_machine

FOLDER = Path(__file__).parent
MACHINE = load_machine({load})


class {name}Machine(RuleBasedStateMachine):
    """The implementation beside the specification."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model(MACHINE)
        self.adapter = {name}Adapter()

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Start in one of the initial states."""
        self.adapter.start(data.draw(st.sampled_from(self.model.initial())))
        self.model.begin(self.adapter.read_state())
{rules}
    @precondition(lambda self: self.model.is_stuck())
    @rule()
    def stay(self) -> None:
        """Do nothing, where no action is enabled."""
{invariants}
    def teardown(self) -> None:
        """Close the adapter."""
        self.adapter.close()


Test{name} = {name}Machine.TestCase
'''
