"""Explains errors in a protocol's code in the words of this tool instead of Python's."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Callable
from typing import Any

from verifier.encodings import collection_values, expressions, sorts, values
from verifier.encodings.declared import Member, Members
from verifier.encodings.expressions import Value
from verifier.encodings.generators import LoopError
from verifier.encodings.sorts import Enum, Sort, SortError
from verifier.errors import UsageError, among, nearest
from verifier.specs import constants, members
from verifier.specs.constants import Constant, constants_of
from verifier.specs.definition import DefinitionError
from verifier.specs.reading.written import find_written_expression, loop
from verifier.specs.state import State

_KINDS = {
    "BooleanValue": "a formula",
    "IntegerValue": "an integer of the state",
    "AtomValue": "an element or member",
    "OptionValue": "an option",
    "RecordValue": "a record",
    "FunctionValue": "a function",
    "SetValue": "a set",
    "SequenceValue": "a sequence",
    "BagValue": "a bag",
    "TupleValue": "a tuple",
    "VariantValue": "a variant",
    "PartialFunctionValue": "a partial function",
}
"""The authors' words for classes of values."""
_OTHER_WORDS = {
    "liveness": "@temporal",
    "safety": "@invariant() or @step_invariant()",
    "fair": "a method fairness that returns [weak(…)] or [strong(…)]",
}
"""Words of other tools, and what is written here."""

_VALUE = r"'(\w+Value|State)'"
_SORTS = "|".join(kind.__name__ for kind in sorts.Sort.__subclasses__())

_WORDS: tuple[tuple[str, Callable[..., str]], ...] = (
    (
        rf"{_VALUE} object is not callable",
        lambda kind: f"{kind} is not a function: leave out the parentheses behind it, as in s.holder.is_none",
    ),
    (
        r"'(Action|Property|Lemma)Member' object is not callable",
        lambda kind: f"a marked method ({kind.lower()}) is called on the protocol: self.name(s)",
    ),
    (
        rf"{_VALUE} object is not subscriptable",
        lambda kind: f"{kind} has no items: [ ] is for functions, sequences and tuples",
    ),
    (
        rf"{_VALUE} object does not support item assignment",
        lambda kind: f"{kind} is not assigned in Python: an action says then={{s.f[key]: …}} in its Step",
    ),
    (
        rf"object of type {_VALUE} has no len\(\)",
        lambda kind: (
            f"len of {kind} is not known while the protocol is being read: write .cardinality of a "
            "set, .length of a sequence"
        ),
    ),
    (
        rf"'({_SORTS})' object is not callable",
        lambda kind: f"a sort ({kind}) makes no values: write a value as it is, or literal(sort, value)",
    ),
    (
        r"unhashable type: '(dict|list|set)'",
        lambda kind: (
            f"Python's sets and keys hold no {kind}: write s.x.add(dict(…)) for a record, or make the record "
            "by its sort, as in {Message(…)}"
        ),
    ),
    (
        r"'(\S+)' not supported between instances of '(\w+)' and '(\w+)'",
        lambda sign, left, right: (
            f"{left} {sign} {right} has no meaning: integers are ordered, and sets by what they include"
        ),
    ),
    (
        r"unsupported operand type\(s\) for ([&|]): '(\w+)' and '(\w+)'",
        lambda sign, left, right: (
            f"{left} {sign} {right} has no meaning: {sign} joins formulas or sets, and binds tighter than == "
            f"and <, so write (…) {sign} (…)"
        ),
    ),
    (
        r"unsupported operand type\(s\) for (\S+)(?: or pow\(\))?: '(\w+)' and '(\w+)'",
        lambda sign, left, right: (
            f"{left} {sign} {right} has no meaning: integers have + - * // %, formulas "
            "& | ~, sets | & -, sequences +"
        ),
    ),
    (
        r"bad operand type for unary (\S+): '(\w+)'",
        lambda sign, kind: f"{sign} of {kind} has no meaning: write -x for integers, ~ for formulas",
    ),
    (
        r"(\w+)\.__init__\(\) missing \d+ required \S+ arguments?: (.*)",
        lambda kind, names: f"{kind}(…) lacks {names.replace(chr(39), '')}",
    ),
    (
        r"(\w+)\.__init__\(\) got multiple values for argument '(\w+)'",
        lambda kind, name: f"{kind}(…) has {name} twice, with its name and without{_takes(kind)}",
    ),
    (
        r"(\w+)\.__init__\(\) takes .* but (\d+) .*",
        lambda kind, _: f"{kind}(…) has too many arguments, or some without their name{_takes(kind)}",
    ),
    (
        r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'.*",
        lambda kind, name: f"{kind}(…) takes no {name}= {among(name, _fields(kind))}",
    ),
    (
        r"(\w+)\(\) got an unexpected keyword argument '(\w+)'.*",
        lambda mark, name: (
            f"@{mark}(…) takes no {name}=: it takes default= and name="
            if mark != "action" and mark in members.USAGE
            else ""
        ),
    ),
    (
        rf"({'|'.join(members.USAGE)})\(\) takes from .*",
        lambda mark: f"@{mark}(…) takes no words without a name: {members.USAGE[mark]}",
    ),
)
"""Python's words, and what is said instead of them; empty if Python's words are better."""


def explain_error(error: BaseException) -> str:
    """The error in a line, without its place. Errors that only the author understands keep Python's words."""
    words = str(error)
    match error:
        case LoopError() if looped := loop(error):
            each, domain = looped
            return (
                f"Python runs the loop for {each} in {domain} while it reads the protocol. {domain} has no "
                f"elements then: write forall({domain}, lambda {each}: …), or exists, comprehension or count"
            )
        case SortError() if words.endswith("do not go together"):
            words += _advise_on_option(words)
            text = find_written_expression(error)
            return f"{text}: {words}" if text else words
        case DefinitionError() | UsageError() | SortError():
            return words
        case ImportError() if (error.name or "").partition(".")[0] == "verifier":
            reason = _not_offered(words)
        case AttributeError() | NameError():
            reason = _suggest_names(error)
        case RecursionError():
            reason = "a method calls itself, directly or through others, without end"
        case TypeError():
            reason = _reword(words)
            if reason and (text := find_written_expression(error)):
                reason = f"{text}: {reason}"
        case _:
            reason = ""
    said = " ".join(words.split())
    return reason or type(error).__name__ + (f": {said}" if said else "")


def _reword(words: str) -> str:
    for pattern, instead in _WORDS:
        match = re.fullmatch(pattern, words)
        if match is not None:
            return instead(*(_KINDS.get(part, part) for part in match.groups()))
    return ""


def _not_offered(words: str) -> str:
    """A name that was imported from ``verifier`` and is not there."""
    match = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", words)
    if match is None:
        return ""
    near = nearest(match[1], _list_language_names())
    return f"{match[2]} has no {match[1]!r}" + (f"; did you mean {near!r}?" if near else "")


def _suggest_names(error: AttributeError | NameError) -> str:
    """A name that is not known, with those that are; of names of Python only the nearest."""
    name = error.name or ""
    if isinstance(error, NameError):
        if name in _list_language_names():
            return f"the name {name!r} is not imported: write from verifier import {name}"
        if name in _OTHER_WORDS:
            return f"the name {name!r} is not known: write {_OTHER_WORDS[name]}"
        near = _find_near_names(error, name)
        return f"the name {name!r} is not known" + (f"; did you mean {near}?" if near else "")
    owner: Any = error.obj
    kind = str(error).partition("'")[2].partition("'")[0]
    if isinstance(owner, type) and issubclass(owner, Members):
        known = [item for item in dir(owner) if isinstance(inspect.getattr_static(owner, item), Member)]
        return f"{owner.__name__} has no member {name!r} {among(name, known)}"
    if _assigns(error):
        return f"{_KINDS.get(kind, kind)} is not assigned in Python: an action says then={{…}} in its Step"
    if isinstance(owner, State | Value) and "object has no attribute" not in str(error):
        return str(error)
    if isinstance(owner, Value):
        return f"{_KINDS[type(owner).__name__]} has no {name!r} {among(name, _public(type(owner)))}"
    if isinstance(owner, Enum):
        known = [str(member) for member in owner.members]
        return f"the members of {owner} are written in quotes, not as .{name} {among(name, known)}"
    if isinstance(owner, Sort):
        return f"the sort {owner} has no {name!r}: its values are written as they are, not as .{name}"
    if constants_of(type(owner)) or any(base.__name__ == "Protocol" for base in type(owner).__mro__):
        if hasattr(type(owner), name):  # it is there, and raises an error of its own
            return ""
        known = [*constants_of(type(owner)), *_own(type(owner))]
        marked = None if nearest(name, known) else nearest(name, _own(type(owner), marked=True))
        hint = f"; did you mean {marked!r}?" if marked else ""
        return f"the protocol has no {name!r} {among(name, known)}{hint}"
    return ""


def _advise_on_option(words: str) -> str:
    """Say how the value of an option is read, if that is what does not go together with an option."""
    match = re.fullmatch(r"values of (.+) and of (.+) do not go together", words)
    options = () if match is None else (f"Option({match[1]})", f"Option({match[2]})")
    has_one = match is not None and not {*options}.isdisjoint(match.groups())
    return ": .value is the value of an option" if has_one else ""


def _find_near_names(error: NameError, name: str) -> str:
    """Return the names that may be meant in the method at fault: those of the protocol before those of the
    language. A variable of the state is written ``s.leader``, a constant or method ``self.nodes``."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    known = {} if step is None else step.tb_frame.f_locals
    owned = dict[str, list[str]]()
    for local, value in known.items():
        owned.setdefault(local, []).append(local)
        for own in _list_own_names(value):
            owned.setdefault(own, []).append(f"{local}.{own}")
    if name in owned:
        near = owned[name]
        other = nearest(name, known)
        near += [other] if other is not None and other not in near else []
    elif (found := nearest(name, owned)) is not None:
        near = owned[found]
    else:
        found = nearest(name, _list_language_names())
        near = [] if found is None else [found]
    return " or ".join(map(repr, near))


def _list_own_names(owner: Any) -> list[str]:
    """Return the variables of a state; of a protocol its constants and methods."""
    if isinstance(owner, State):
        return [symbol.name for symbol in owner.symbols]
    if constants_of(type(owner)):
        return [*constants_of(type(owner)), *_own(type(owner)), *_own(type(owner), marked=True)]
    return []


def _assigns(error: AttributeError) -> bool:
    """True if an attribute of a value was assigned, not read."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or "Value' object" not in str(error):
        return False
    return dis.opname[step.tb_frame.f_code.co_code[step.tb_lasti]] == "STORE_ATTR"


def _public(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_") and name not in ("term", "sort")]


def _own(kind: type, marked: bool = False) -> list[str]:
    """The members that a protocol's classes define for its methods, marked or not."""
    bases = [base for base in kind.__mro__ if base.__name__ != "Protocol" and base is not object]
    marks = members.ActionMember | members.ClaimMember
    found = {name: item for base in bases for name, item in vars(base).items()}
    return [
        name
        for name, item in found.items()
        if not name.startswith("_")
        and name not in _FOR_THE_TOOL
        and not isinstance(item, Constant)
        and isinstance(item, marks) is marked
    ]


_FOR_THE_TOOL = (
    "name", "next", "lanes", "drawing", "default_depth", "state", "init", "constraint", "assumptions"
)  # fmt: skip
"""Members of a protocol's class for this tool, not for its own methods."""


def _list_language_names() -> list[str]:
    """The names that protocols are written with."""
    import verifier

    return verifier.__all__


def _fields(kind: str) -> list[str]:
    return list(getattr(_class(kind), "__dataclass_fields__", ()))


def _takes(kind: str) -> str:
    if kind == "State":
        return ": it takes variables, as in State(x=Range(0, 3))"
    names = _fields(kind)
    return f": it takes {', '.join(names)}" if names else ""


def _class(kind: str) -> Any:
    modules = (members, constants, sorts, expressions, values, collection_values)
    return next((vars(module)[kind] for module in modules if kind in vars(module)), None)
