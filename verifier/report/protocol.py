"""The description of a protocol as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.encodings.concrete import show
from verifier.printable import say_count
from verifier.specs.definition import PropertyKind
from verifier.text.columns import align_rows, wrap

_NARROW = 20
"""Characters that the last column of a table has at least."""


def render_description(about: Mapping[str, Any], width: int) -> list[RenderableType]:
    """The sections, on lines of at most ``width`` characters."""
    lines: list[RenderableType] = [Text(f"{about['spec']}  ({about['source']})", "bold")]
    for paragraph in filter(None, about["description"].split("\n\n")):
        lines += [Text(), *(Text(line) for line in wrap(" ".join(paragraph.split()), width))]
    lines += _table("Constants", map(_constant, about["constants"]), width)
    variables = ((v["name"], _number(v["bits"], "bit"), _sort(v)) for v in about["variables"])
    lines += _table("Variables", variables, width)
    if about["enumerations"]:
        members = ((e["name"], ", ".join(map(show, e["members"]))) for e in about["enumerations"])
        lines += _table("Enumerations", members, width)
    lines += _list("Actions", map(_action, about["actions"]), width)
    lines += _list("Properties", map(_property, about["properties"]), width)
    if about["temporal"]:
        lasting = ((p["name"], p["says"], p["description"]) for p in about["temporal"])
        lines += _list("Temporal properties, which check and live decide", lasting, width)
        none = ("none", "", "Executions may stop anywhere. docs/liveness.md says how to demand fairness.")
        fair = [(f["name"], "", "; ".join(f["conditions"])) for f in about["fairness"]] or [none]
        lines += _list("Fairness", fair, width)
    if about["lemmas"]:
        words = ((lemma["name"], "", lemma["description"]) for lemma in about["lemmas"])
        lines += _list("Lemmas, which verify induct proves", words, width)
    if about["constraint"] is not None:
        bound = (about["constraint"], "", "Nothing happens in a state where it is false.")
        lines += _list("Constraint", [bound], width)
    return [*lines, *_table("Encoding", _encoding(about), width)]


def _table(title: str, rows: Iterable[Sequence[str]], width: int) -> list[RenderableType]:
    """Rows of short cells, in columns. The last two share one where they do not fit side by side."""
    filled = [tuple(row) for row in rows]
    columns = list(zip(*filled, strict=True))[:-1]
    before = sum(max(map(len, column)) + 3 for column in columns)
    if len(columns) > 1 and before + _NARROW > width:
        filled = [(*row[:-2], f"{row[-2]}: {row[-1]}") for row in filled]
    lines: list[RenderableType] = [Text(), Text(title, "bold")]
    for row, texts in zip(filled, align_rows(filled, width, "  "), strict=True):
        first = Text(texts[0])
        first.stylize("cyan", 0, len(row[0]) + 2)
        lines += [first, *(Text(line) for line in texts[1:])]
    return lines


def _list(title: str, items: Iterable[tuple[str, str, str]], width: int) -> list[RenderableType]:
    """A list of items. Each has a name, a remark beside the name, and a sentence below."""
    lines: list[RenderableType] = [Text(), Text(title, "bold")]
    for name, remark, sentence in items:
        head, *more = wrap(
            f"{name}   {remark}".rstrip(), width, initial_indent="  ", subsequent_indent="    "
        )
        text = Text(head)
        text.stylize("cyan", 0, len(name) + 2)
        lines += [text, *(Text(line) for line in more)]
        words = " ".join(sentence.split())
        lines += [Text(line) for line in wrap(words, width, initial_indent="    ", subsequent_indent="    ")]
    return lines


def _constant(constant: Mapping[str, Any]) -> tuple[str, str, str]:
    value, default = show(constant["value"]), show(constant["default"])
    given = "" if value == default else f" (default {default})"
    return f"{constant['name']} = {value}", constant["allowed"] + given, constant["description"]


def _action(action: Mapping[str, Any]) -> tuple[str, str, str]:
    parameters = ", ".join(
        f"{parameter['name']} ∈ {parameter['sort']}{_reading(parameter)}"
        for parameter in action["parameters"]
    )
    remark = _number(action["instances"], "instance")
    if not action["changes"]:
        remark += ", changes nothing: it assigns no variable"
    return f"{action['name']}({parameters})", remark, action["description"]


def _sort(variable: Mapping[str, Any]) -> str:
    return str(variable["sort"]) + ("" if variable["assigned"] else " (never changes: no action assigns it)")


def _reading(parameter: Mapping[str, Any]) -> str:
    if parameter["left_open"]:
        return " (free or expanded, as each engine does best)"
    return " (chosen freely)" if parameter["free"] else ""


def _number(count: int, what: str) -> str:
    """Return a number that stays on one line with its unit."""
    return f"{count:,}\u00a0{what}{'' if count == 1 else 's'}"


def _property(prop: Mapping[str, Any]) -> tuple[str, str, str]:
    when = "" if prop["default"] else ", not checked by default"
    if prop["kind"] == PropertyKind.UNDEFINED_READ:
        when = ", checked together with every other property"
    return prop["name"], f"{prop['kind']}{when}", prop["description"]


def _encoding(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    size = about["encoding"]
    rows = [
        *(_estimate_figures(size) if size["estimated"] else _build_figures(size)),
        ("most bits", _most(about, "bits")),
        ("most instances", _most(about, "instances")),
        ("symmetry", "; ".join(map(_symmetry, about["symmetry"])) or "none"),
        ("default depth", str(about["default_depth"])),
        ("known verdicts", f"{about['expectations']} to compare with" if about["expectations"] else "none"),
        ("spec hash", about["spec_hash"]),
    ]
    return [(name, words) for name, words in rows if words]


def _estimate_figures(size: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the estimated figures of a protocol that is too large to be built for a description."""
    return [
        ("state", f"about {_number(size['bits'], 'bit')} (not built: the protocol is large)"),
        ("relation", f"about {_number(size['instances'], 'action instance')}"),
    ]


def _build_figures(size: Mapping[str, Any]) -> list[tuple[str, str]]:
    clauses = ", ".join(f"{count} ({steps})" for steps, count in size["clauses_per_step"].items())
    return [
        ("state", f"{size['bits']} bits for {size['leaves']} scalar fields"),
        ("relation", f"{say_count(size['instances'], 'action instance')}, {size['nodes']} boolean nodes"),
        ("clauses of a step", clauses),
    ]


def _most(about: Mapping[str, Any], what: str) -> str:
    """Name the parts that make up most of a size: ``msgs: 480 of 533 bits``."""
    total = _number(about["encoding"][what], what[:-1])
    return "; ".join(f"{item['name']}: {item[what]:,} of {total}" for item in about["largest"][what])


def _symmetry(symmetry: Mapping[str, Any]) -> str:
    but = f", except {', '.join(symmetry['pinned'])}, which the protocol names" if symmetry["pinned"] else ""
    return f"the elements of {symmetry['index_set']} are interchangeable (checked){but}"
