"""Plots of times: static SVG by Matplotlib. The page's style sheet sets the colours."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator

from verifier.outcomes.row import Row
from verifier.printable import printable
from verifier.report.report import varying_constants

# Each series has a marker besides its colour.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_MARKS = ("o", "s", "^", "D", "v", "P")
_TEXT, _LINES = "#010203", "#040506"
"""Placeholders, like the colours of the series. The style sheet's colours replace them."""
_MOST_PLOTS = 6
_MOST_POINTS = 300
"""A series of more points is drawn as its medians, between its least and its most."""
_MATTERS = 1.0
"""Seconds from which on times matter: where every row takes less, there is no plot."""
_LEAST, _MOST = 0.001, 1e9
"""Seconds that a plot shows: its scale is logarithmic."""
_UNUSED_ID = re.compile(
    r"(?:figure|axes|patch|matplotlib\.axis|xtick|ytick|text|line2d|legend|\w+Collection)_\d+"
)


@dataclass(frozen=True)
class Plot:
    """A plot, and a description of it in words."""

    title: str
    svg: str
    styles: Mapping[str, str]
    """The declarations of the classes in the SVG, which the page allows in place of style attributes."""


def plots(rows: Sequence[Row]) -> list[Plot]:
    """The plots of time against depth and against each varying constant with integer values.

    A plot that would have only one point is left out.
    """
    if max((row.seconds for row in rows), default=0) < _MATTERS:
        return []
    plots = [_plot(rows, "depth", [(row, row.depth) for row in rows if row.depth is not None])]
    for name in varying_constants(rows):
        values = [(row, row.constants.get(name)) for row in rows]
        plots.append(_plot(rows, name, [(r, v) for r, v in values if type(v) is int]))
    return [plot for plot in plots if plot is not None][:_MOST_PLOTS]


def _plot(rows: Sequence[Row], name: str, points: Sequence[tuple[Row, Any]]) -> Plot | None:
    if len({value for _, value in points}) < 2:
        return None
    labels = list(dict.fromkeys(_series(row) for row in rows))
    with mpl.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": printable(name),
            "font.size": 10,
            "font.family": "sans-serif",
        }
    ):
        figure = Figure(figsize=(5.2, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for number, label in enumerate(labels):
            colour, mark = _COLOURS[number % len(_COLOURS)], _MARKS[number % len(_MARKS)]
            of_specs: dict[str, list[tuple[Any, float]]] = {}
            for row, value in points:
                if _series(row) == label:
                    of_spec = of_specs.setdefault(row.spec, [])
                    of_spec.append((value, min(max(row.seconds, _LEAST), _MOST)))
            for place, (_, of_spec) in enumerate(of_specs.items()):
                _draw(axes, of_spec, colour, mark, _literal(label) if place == 0 else None)
        axes.set(ylabel="seconds", yscale="log")
        axes.set_xlabel(printable(name), parse_math=False)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("")
        _recolour(axes)
        legend = figure.legend(loc="outside upper left", ncols=2, frameon=False, labelcolor=_TEXT, fontsize=9)
        for text in legend.get_texts():
            text.set_parse_math(False)  # a $ in a name begins no formula
        title = f"Time against {name}"
        svg, styles = _svg(figure, f"{title}: seconds on a logarithmic scale, by engine and solver")
        return Plot(title, svg, styles)


def _draw(axes: Any, points: Sequence[tuple[Any, float]], colour: str, mark: str, label: str | None) -> None:
    """Draw the times of one protocol, with a line through its medians."""
    across, seconds = zip(*sorted(points), strict=True)
    at: dict[Any, list[float]] = {}
    for place, second in points:
        at.setdefault(place, []).append(second)
    places = sorted(at)
    medians = [median(at[place]) for place in places]
    if len(points) > _MOST_POINTS:
        lows, highs = [min(at[p]) for p in places], [max(at[p]) for p in places]
        axes.fill_between(places, lows, highs, color=colour, alpha=0.12, linewidth=0)
        across, seconds = tuple(places), tuple(medians)
    axes.plot(across, seconds, mark, color=colour, markersize=5, alpha=0.6, label=label)
    axes.plot(places, medians, color=colour, linewidth=1)


def _series(row: Row) -> str:
    return f"{row.engine}, {row.solver}" if row.solver else row.engine


def _recolour(axes: Any) -> None:
    axes.patch.set_alpha(0)
    axes.grid(color=_LINES, linewidth=0.5)
    for spine in axes.spines.values():
        spine.set_color(_LINES)
    axes.tick_params(which="both", color=_LINES, labelcolor=_TEXT)
    axes.xaxis.label.set_color(_TEXT)
    axes.yaxis.label.set_color(_TEXT)


def _literal(label: str) -> str:
    """The label in printable form. Matplotlib drops labels that begin with ``_``."""
    plain = printable(label)
    return f" {plain}" if plain.startswith("_") else plain


def _svg(figure: Figure, words: str) -> tuple[str, dict[str, str]]:
    """The drawing as an element for HTML, with the declarations of its classes. ``words`` describe it."""
    figure.patch.set_alpha(0)
    stream = io.StringIO()
    about = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(stream, format="svg", metadata=about)
    text = stream.getvalue()
    root = ElementTree.fromstring(text[text.index("<svg") :])
    styles: dict[str, str] = {}
    for element in list(root.iter()):
        for child in list(element):
            if _local(child.tag) in ("metadata", "style"):  # the page's style sheet replaces it
                element.remove(child)
    # The SVG is changed as a tree, not as text. So the text of a name is never mistaken for markup.
    for element in root.iter():
        _for_html(element, styles)
    root.attrib.update({"role": "img", "aria-label": printable(words)})
    return ElementTree.tostring(root, encoding="unicode"), styles


def _for_html(element: ElementTree.Element, styles: dict[str, str]) -> None:
    """Removes namespaces and unused ids, and replaces style attributes by classes."""
    element.tag = _local(element.tag)
    attributes = {_local(name): value for name, value in element.attrib.items()}
    style = attributes.pop("style", None)
    if _UNUSED_ID.fullmatch(attributes.get("id", "")):
        del attributes["id"]
    if style is not None:
        style = style.replace(_TEXT, "currentColor").replace(_LINES, "var(--line)")
        for number, colour in enumerate(_COLOURS):
            style = style.replace(colour, f"var(--series-{number})")
        attributes["class"] = f"plot-{hashlib.sha256(style.encode()).hexdigest()[:8]}"
        styles[attributes["class"]] = style
    element.attrib.clear()
    element.attrib.update(attributes)


def _local(name: str) -> str:
    """A name without its namespace, because HTML knows SVG's namespace."""
    return name.rpartition("}")[2]
