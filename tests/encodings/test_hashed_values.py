"""Python's answers about a state value by identity, text or type are refused, or right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import wrong
from verifier.api.specification import load
from verifier.encodings.expressions import Value
from verifier.parametric.protocol_readings import read_traced
from verifier.specs import registry
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import define

TEXT = """import collections, copy, dataclasses, functools, json, operator, pickle, string
from verifier import *

FOLLOWS = {{0: 1, 1: 2, 2: 0}}
CRITICAL = {{0, 1}}


@functools.lru_cache
def cached(x):
    return 1


@functools.singledispatch
def dispatched(x):
    return 1


@dispatched.register(str)
def dispatched_text(x):
    return 2


class Chosen:
    @functools.singledispatchmethod
    def by(self, x):
        return 1

    @by.register(str)
    def by_text(self, x):
        return 2


@functools.singledispatch
def known(x):
    return 1


@known.register(Value)
def known_value(x):
    return x


@dataclasses.dataclass(frozen=True)
class Pair:
    a: object
    b: object


class Tried(Protocol, camel_case=True):
    \"\"\"Tries a use of values.\"\"\"

    most = IntegerConstant(2, minimum=2)
    nodes = IndexSetConstant(2)

    @property
    def numbers(self):
        return Range(0, self.most)

    def state(self):
        return State(
            x=self.numbers, y=self.numbers, z=self.numbers, b=Boolean(), e=self.nodes, o=Option(self.nodes),
            a=Set(self.numbers), f=Function(self.nodes, self.numbers), r=Record(p=self.numbers),
            q=Sequence(self.numbers, 2),
        )

    def init(self, s):
        return [arbitrary(s.x, s.y, s.b, s.e, s.o, s.a, s.f, s.r, s.q), s.z == 0]

    @action(k="numbers")
    def go(self, s, k):
        v = {value}
        v_is = {tried}
        return Step(then={{s.z: v_is if isinstance(v_is, Value) else int(v_is)}})

    @invariant
    def fine(self, s):
        return s.z >= 0
"""
TEXT = TEXT.replace(
    "from verifier import *\n", "from verifier import *\nfrom verifier.encodings.expressions import Value\n"
)

VALUES = {"variable": "s.x", "parameter": "k", "application": "s.f[s.e]", "sum": "s.x + 1"}

REFUSED = [
    # object: hash, text, type, truth, numbers
    "hash(v)", "v.__hash__()", "len(str(v))", "len(f'{v}')", "len(f'{v!r}')", "len(f'{v:>3}')",
    "len(repr(v))",
    "len('%s' % v)", "len('{}'.format(v))", "len(format(v))", "len(ascii(v))", "len(v.__repr__())",
    "len(v.__str__())", "len(v.__format__(''))", "len(str([v]))", "len(f'{(v,)}')", "len(repr({'k': v}))",
    "len(repr(Step(when=[v == 1])))", "len(string.Template('$v').substitute(v=v))",
    "isinstance(v, int)", "isinstance(v, (int, str))", "type(v) is int", "type(v) == int",
    "v.__class__ is int", "v.__class__ == int",
    "len(v.__class__.__name__)", "dispatched(v)", "Chosen().by(v)",
    "id(v) == id(s.y)",
    "operator.is_(v, None)", "operator.is_not(v, 0)", "1 if v else 0", "bool(v)", "not v", "v and 1",
    "v or 1", "v.__bool__()", "any([v])", "all([v])", "int(v)", "float(v)", "complex(v)", "round(v)",
    "abs(v)",
    "divmod(v, 2)", "v ** 2", "v / 2", "v << 1", "v ^ 1", "~v", "+v", "v @ v", "range(v)", "[0, 1][v]",
    "(0, 1, 2)[v]", "'abc'[v]", "bin(v)", "chr(v)", "len(v)", "iter(v)", "next(v)", "reversed(v)",
    "list(v)",
    "tuple(v)", "sum(v)", "min(v)", "[*v]", "v[0]", "v()", "0 < v < 2", "v == 0 == s.y", "v in (0, 1)",
    "v in FOLLOWS", "v is None", "v.__index__()", "v.__len__()", "v.__contains__(0)",
    # dict
    "FOLLOWS.get(v, 0)", "FOLLOWS[v]", "FOLLOWS.get((v,), 0)", "FOLLOWS.__contains__(v)",
    "FOLLOWS.__getitem__(v)", "dict(FOLLOWS).pop(v, 0)", "dict(FOLLOWS).setdefault(v, 0)",
    "len({v: 1, s.y: 2})", "{v: 1} != {s.y: 1}", "{v: 1} == {0: 1}", "({v: 1} | {s.y: 1}).__len__()",
    "{v: 1}.keys() == {s.y: 1}.keys()", "len({v: 1}.keys() & {s.y: 1}.keys())", "len({v: 1}.items())",
    "len({(v,): 1})", "len({(v == 1): 1})", "dict([(v, 1)]).__len__()", "dict.fromkeys([v]).__len__()",
    "len(dict(zip([v], [1])))", "len({n: 1 for n in (v, s.y)})", "{v: 1}.popitem()[1]", "len({**{v: 1}})",
    "{v: 1}.get(0, 5)", "{v: 1}.pop(0, 5)", "{v: 1}.copy().__len__()", "sum({v: 1}.values())",
    # set and frozenset
    "len({v, s.y})", "CRITICAL.isdisjoint({v})", "CRITICAL.issubset({v})", "CRITICAL.issuperset([v])",
    "len(CRITICAL.union([v]))", "len(CRITICAL.intersection([v]))", "len(CRITICAL.difference([v]))",
    "len(CRITICAL.symmetric_difference([v]))", "CRITICAL.__contains__(v)", "set(CRITICAL).add(v) is None",
    "set(CRITICAL).discard(v) is None", "set(CRITICAL).remove(v) is None",
    "set(CRITICAL).update([v]) is None",
    "frozenset([v]) != frozenset([s.y])", "len(frozenset((v, s.y)))", "len(set((v, s.y)))", "len({(v, 1)})",
    "len({n for n in (v, s.y)})", "len({*[v, s.y]})", "{v} <= CRITICAL", "{v} < CRITICAL",
    "{v} == CRITICAL",
    "len({v} | CRITICAL)", "len({v} & CRITICAL)", "len({v} - CRITICAL)", "len({v} ^ CRITICAL)", "{v}.pop()",
    # list, tuple and str
    "[0, 1].index(v)", "[0, 1].count(v)", "[0, 1].remove(v)", "(0, 1).index(v)", "(0, 1).count(v)",
    "[v] == [s.y]",
    "(v,) == (s.y,)", "[v] != [0]", "(v, 1) < (s.y, 1)", "[s.y, v].sort()", "'abc'.count(v)",
    "'abc'.find(v)",
    "','.join([v])", "'abc'.startswith(v)", "'a' * v", "[0] * v", "'a' + v",
    # collections, functools, copy and the rest of the library
    "collections.defaultdict(int)[v]", "collections.Counter([v])[0]", "collections.Counter({v: 1}).total()",
    "collections.OrderedDict(FOLLOWS).get(v, 0)", "collections.ChainMap(FOLLOWS).get(v, 0)",
    "collections.deque([0, 1]).index(v)", "collections.deque([0, 1]).count(v)", "cached(v)", "cached(x=v)",
    "sorted([v, s.y])[0]", "min(v, s.y)", "max(v, 1)", "min([v, 0])", "max([v, 0], key=lambda n: n)",
    "hash(Pair(v, 1))", "len(str(Pair(v, 1)))", "Pair(v, 1) == Pair(s.y, 1)", "len({Pair(v, 1)})",
    "dataclasses.replace(v, x=1)", "len(pickle.dumps(v))", "len(json.dumps(v))",
    "operator.contains(CRITICAL, v)",
    "operator.contains([0, 1], v)", "operator.index(v)", "operator.length_hint(v, 1) + len(v)",
    "operator.truth(v)", "operator.not_(v)", "operator.countOf([0, 1], v)", "operator.indexOf([0, 1], v)",
    "operator.itemgetter(v)(FOLLOWS)", "list(map(FOLLOWS.get, [v]))[0]", "list(filter(None, [v]))[0]",
    "next(n for n in (0, 1) if n == v)",
]  # fmt: skip

FINE = [
    "copy.copy(v)", "copy.deepcopy(v)", "copy.deepcopy([v])[0]", "sum([v, s.y])", "sorted([v])[0]",
    "max([v])",
    "[v][0]", "(v, 1)[0]", "[v, 1].__len__()", "len([v, s.y])", "len((v,))", "{'k': v}['k']",
    "{'k': v}.get('k')",
    "Pair(v, 1).a", "dataclasses.replace(Pair(0, 1), a=v).a", "table({0: 1, 1: 2, 2: 0}).get(v, 0)",
    "table({0: 1, 1: 2, 2: 0, 3: 0})[v]", "functools.reduce(operator.add, [v, s.y])", "operator.add(v, 1)",
    "functools.partial(operator.add, v)(1)", "collections.deque([v])[0]", "next(iter([v]))",
    "count(s.a.contains(n) for n in self.numbers)", "if_(s.a == {v, s.y}, 1, 0)", "if_(s.a == {v}, 1, 0)",
    "if_(set_of(self.numbers, v) == {0}, 1, 0)", "isinstance(v, Value)", "if_(v == 0, 1, 0)", "callable(v)",
    "known(v)", "known(5)", "dispatched(5)",
]  # fmt: skip


def _file(folder: Path, tried: str, value: str) -> Path:
    path = folder / "tried.py"
    path.write_text(TEXT.format(tried=tried, value=value), encoding="utf-8")
    return path


def _line(tried: str) -> str:
    lines = TEXT.format(tried=tried, value="0").splitlines()
    return f"tried.py, line {next(n for n, line in enumerate(lines, 1) if 'v_is = ' in line)}: "


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("tried", REFUSED)
def test_python_gets_no_answer(tmp_path: Path, tried: str, value: str) -> None:
    kind = registry.load(str(_file(tmp_path, tried, VALUES[value])))
    with pytest.raises((DefinitionError, AttributeError)) as refused:
        define(kind())
    if refused.type is DefinitionError:
        assert _line(tried) in str(refused.value)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("tried", FINE)
def test_what_is_right_is_let_pass(tmp_path: Path, tried: str, value: str) -> None:
    define(registry.load(str(_file(tmp_path, tried, VALUES[value])))())


LOOKUPS = [
    "FOLLOWS.get(v, 0)",
    "len({v, s.y})",
    "CRITICAL.isdisjoint({v})",
    "{v: 1} != {s.y: 1}",
    "len(f'{v}')",
]


@pytest.mark.parametrize("tried", LOOKUPS)
@pytest.mark.parametrize("value", ["s.x", "k"])
def test_it_is_refused_for_all_constants_too(tmp_path: Path, tried: str, value: str) -> None:
    kind = registry.load(str(_file(tmp_path, tried, value)))
    with pytest.raises(DefinitionError, match=r"tried\.py, line"):
        read_traced(kind, {})


@pytest.mark.parametrize("command", [["explore"], ["prove"], ["prove", "--all-constants"]])
def test_the_command_line_refuses_it(tmp_path: Path, command: list[str]) -> None:
    path = _file(tmp_path, "FOLLOWS.get(v, 0)", "s.x")
    said = wrong(*command, "--spec", str(path))
    assert _line("") in said
    assert "table({…})[x]" in said


STATEMENTS = {
    "a caught refusal": "try:\n    n = FOLLOWS[v]\nexcept TypeError:\n    n = 0",
    "a caught text": "try:\n    n = len(str(v))\nexcept Exception:\n    n = 0",
    "match on a value": "match v:\n    case 0:\n        n = 1\n    case _:\n        n = 0",
    "match on a class": "match v:\n    case int():\n        n = 1\n    case _:\n        n = 0",
    "a lookup beside a target": "n = FOLLOWS.get(v, 0)\nStep(then={v: 0})",
    "a comparison of targets": "one, two = {v: 1}, {s.y: 1}\nn = int(one != two)\nStep(then={**one, **two})",
    "keys of targets": "one, two = {v: 1}, {s.y: 1}\nn = int(one.keys() == two.keys())\nStep(then=one | two)",
    "the length of targets": "one = {v: 1, s.y: 2}\nn = len(one)\nStep(then=one)",
    "the length of a set": "one = {v, s.y}\nn = len(one)\nself.ignored = s.a == one",
    "a named set": "one = {v}\nn = int(CRITICAL.isdisjoint(one))\nself.ignored = s.a == one",
    "a default dictionary": "one = collections.defaultdict(int)\none[v] += 1\nn = 0",
    "the length of items": "one = {}\none[v] = 1\none[s.y] = 1\nn = len(one)",
    "a lookup of a plain key": "one = {v: 1, s.y: 2}\nn = one.get(0, 5)",
    "the sum of values": "one = {v: 1, s.y: 1}\nn = sum(one.values())",
    "a count of keys": "one = {v: 1, s.y: 1}\nn = len(list(one))",
    "a set of keys": "one = {v: 1, s.y: 1}\nn = len(set(one))",
    "a comparison with plain keys": "one, two = {v: 1}, {0: 1}\nn = int(one == two)",
    "parameters as keys": "one = {k: 1}\nn = 0",
    "a set of values": "one = {v}\nn = 0",
    "print": "print(v)\nn = 0",
    "a dispatch by type": "n = int(isinstance(s.x, str))",
}


def _with(folder: Path, statements: str, value: str = "s.x") -> Path:
    path = _file(folder, "n", value)
    indented = "".join(f"        {line}\n" for line in statements.splitlines())
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("        v_is = n\n", f"{indented}        v_is = n\n"), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_that_python_decides_are_refused(tmp_path: Path, name: str) -> None:
    kind = registry.load(str(_with(tmp_path, STATEMENTS[name])))
    with pytest.raises(DefinitionError, match=r"tried\.py, line"):
        define(kind())


OF_TYPE = ("type(", "v.__class__", "len(v.__class__")
CATCHING = {
    "try": "try:\n    n = int({tried})\nexcept Exception:\n    n = 0",
    "a bare try": "try:\n    n = int({tried})\nexcept BaseException:\n    n = 0",
    "suppress": "n = 0\nwith contextlib.suppress(Exception):\n    n = int({tried})",
    "finally": (
        "def asked():\n    try:\n        return int({tried})\n    finally:\n        return 0\nn = asked()"
    ),
    "a try around a call": (
        "def asked():\n    return int({tried})\ntry:\n    n = asked()\nexcept Exception:\n    n = 0"
    ),
}


@pytest.mark.parametrize("tried", [one for one in REFUSED if not one.startswith(OF_TYPE)])
def test_no_try_answers_in_place_of_a_refusal(tmp_path: Path, tried: str) -> None:
    # Of a parameter or a name around, a function may ask the type: it may be given plain values.
    how = CATCHING[sorted(CATCHING)[REFUSED.index(tried) % len(CATCHING)]]
    path = _with(tmp_path, how.format(tried=tried))
    path.write_text(path.read_text(encoding="utf-8").replace("import ", "import contextlib, ", 1))
    with pytest.raises(DefinitionError, match=r"tried\.py, line"):
        define(registry.load(str(path))())


@pytest.mark.parametrize("how", CATCHING)
@pytest.mark.parametrize("tried", ["v == 1 and 2", "len(v)", "min(v, 1)", "v.nothing", "s.a.contains('a')"])
def test_each_way_to_catch_is_seen(tmp_path: Path, how: str, tried: str) -> None:
    path = _with(tmp_path, CATCHING[how].format(tried=tried))
    path.write_text(path.read_text(encoding="utf-8").replace("import ", "import contextlib, ", 1))
    with pytest.raises(DefinitionError, match=r"tried\.py, line"):
        define(registry.load(str(path))())


def test_errors_of_pythons_own_values_may_be_caught(tmp_path: Path) -> None:
    caught = "try:\n    n = len(5)\nexcept TypeError:\n    n = [].nothing if False else 1"
    define(registry.load(str(_with(tmp_path, caught)))())


TARGETS = {
    "an unused one": "one = {s.x: 1, s.y: 2}\nn = 0",
    "one of two": "one, two = {s.x: 1}, {s.x: 2}\nn = 0\nStep(then=one)",
    "one of a list": "several = [{s.x: 1}, {s.y: 2}]\nn = 0\nStep(then=several[0])",
    "one that is appended": "several = [{s.x: 1}]\nseveral.append({s.y: 2})\nn = 0",
    "one that a helper drops": "def least(a, b):\n    return a\nn = 0\nStep(then=least({s.x: 1}, {s.y: 2}))",
    "items of an unused one": "one = {}\none[s.x] = 1\none[s.y] = 1\nn = 0",
    "one that a constant chooses": "one = {s.x: 1}\nn = 0\nStep(then=one if self.most > 9 else {})",
    "one made of another": "one = {s.x: 1, s.y: 2}\nn = 0\nStep(then={t: w for t, w in one.items() if w})",
    "an item that is assigned": "one = {}\none[s.x] = 1\nn = 0\nStep(then=one)",
    "a union": "n = 0\nStep(then={s.x: 1} | {s.y: 1})",
    "a copy": "one = {s.x: 1}\nn = 0\nStep(then={**one, s.y: 2})",
    "a comprehension": "n = 0\nStep(then={t: 1 for t in (s.x, s.y)})",
    "joined steps": "n = 0\nStep(then={s.x: 1}) & Step(then={s.y: 1})",
    "a plain parameter": "def helped(it):\n    return it if isinstance(it, int) else 0\nn = helped(s.x)",
}


@pytest.mark.parametrize("name", TARGETS)
def test_targets_are_keys(tmp_path: Path, name: str) -> None:
    define(registry.load(str(_with(tmp_path, TARGETS[name])))())


def test_values_have_a_text_where_no_protocol_is_read() -> None:
    kind = registry.load("kip320")
    protocol = kind()
    state = protocol.state()
    value = getattr(state, state.symbols[0].name)
    assert isinstance(value, Value)
    assert str(value) == repr(value) == state.symbols[0].name
    assert hash(value) == hash(value)


TABLE = """
from verifier import *

class Tabled(Protocol, camel_case=True):
    n = IntegerConstant(2, minimum=2, maximum=3)
    def state(self): return State(x=Range(0, 2), phase=Enum("phase", ("idle", "busy")))
    def init(self, s): return [s.x == 0, s.phase == "idle"]
    @action
    def go(self, s):
        follows = table({{0: 1, 1: 2, {more}}})
        phases = table({{0: "busy", 2: "idle"}}, Enum("phase", ("idle", "busy")))
        return Step(then={{s.x: follows{how}, s.phase: phases.get(s.x, s.phase)}})
    @invariant
    def never_two(self, s): return s.x != 2
    @invariant
    def idle_at_zero(self, s): return (s.x != 0) | (s.phase == "idle")
"""


@pytest.mark.parametrize(
    ("more", "how", "undefined"),
    [
        ("2: 0", "[s.x]", False),
        ("2: 0", ".get(s.x, 0)", False),
        ("", ".get(s.x, 0)", False),
        ("", "[s.x]", True),
    ],
)
def test_a_table_is_asked_in_each_state(tmp_path: Path, more: str, how: str, undefined: bool) -> None:
    path = tmp_path / "tabled.py"
    path.write_text(TABLE.format(more=more, how=how), encoding="utf-8")
    outcome = load(str(path)).explore("NeverTwo", "IdleAtZero", "TypeInvariant")
    assert not outcome.ok
    whole = load(str(path))
    names = [prop.name for prop in define(registry.load(str(path))()).properties]
    assert ("UndefinedRead" in names) is ("get" not in how)
    if "get" not in how:
        assert whole.explore("UndefinedRead").ok is not undefined


@pytest.mark.parametrize(
    "tried",
    ["table({})[v]", "table([1])[v]", "table({s.y: 1})[v]", "table({0: 'a'})[v]", "table({'a': 1})[v]",
     "table({0: 1})[0]", "table({True: 1})[v]", "[*table({0: 1})][0]", "table({0: 1, 1: True})[v]"],
)  # fmt: skip
def test_tables_that_mean_nothing_are_refused(tmp_path: Path, tried: str) -> None:
    kind = registry.load(str(_file(tmp_path, tried, "s.x")))
    with pytest.raises(DefinitionError, match=r"tried\.py, line"):
        define(kind())
