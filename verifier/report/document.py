"""The parts that all pages have: templates, style sheet, scripts, and the policy that allows only these."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from verifier.printable import printable, printable_text

_ENDS = re.compile(r"</(?:td|th|tr|li|dt|dd)>\n?")
_UNBROKEN = re.compile(r"(--[a-z][a-z-]*|\|->|:>|<<[^<>]{1,12}>>|⟨[^⟨⟩]{1,12}⟩)")
"""The names of options, TLA+'s arrows, and short tuples: no line ends within one."""


def policy_of(styles: Sequence[Markup], scripts: Sequence[Markup]) -> str:
    """The Content-Security-Policy of the page. It allows these styles and scripts, by their hashes.

    The browser neither runs nor fetches anything else in the page, whether an element or an attribute.
    """

    def hashes(elements: Sequence[Markup]) -> str:
        digests = (hashlib.sha256(element.encode()).digest() for element in elements)
        return " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)

    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {hashes(styles)}",
            f"script-src {hashes(scripts)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def style_of(plots: Sequence[Mapping[str, str]]) -> Markup:
    """The style sheet, with classes for shares and plots, because the policy forbids style attributes."""
    rules = [f".{_share(number / 100)} {{ --share: {number / 100:g}; }}" for number in range(101)]
    rules += [f".plots .{name} {{ {style} }}" for of_plot in plots for name, style in of_plot.items()]
    return _element("\n".join([_text_of("style.css"), *dict.fromkeys(rules)]))


def script_of(names: Sequence[str]) -> Markup:
    """The scripts with these names, in their order, as the content of one element."""
    return _element("\n".join(_short(_text_of(f"{name}.js")) for name in names))


def _share(share: float) -> str:
    """The class of an element that fills this share of its place, from 0 to 1."""
    return f"share-{round(100 * min(max(share, 0), 1))}"


def _text_of(name: str) -> str:
    return (resources.files("verifier.report") / "html" / name).read_text(encoding="utf-8")


def _short(text: str) -> str:
    """A script without indentation and comments. No script has a text of several lines, nor one with two
    spaces before slashes."""
    lines = (line.partition("  // ")[0].strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not (line.startswith("/*") and line.endswith("*/")))


def _element(text: str) -> Markup:
    """The exact content of a style or script element, because the policy has its hash."""
    return Markup(f"\n{text}\n")


class _Unindented(Extension):
    """Leaves out what means nothing: the indentation of templates, and end tags that HTML lets one omit."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return a template without indentation and without the end tags of cells, rows and items."""
        return _ENDS.sub("", "\n".join(line.lstrip() for line in source.splitlines()))


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("verifier.report", "html"),
        autoescape=True,
        finalize=_make_printable,
        undefined=StrictUndefined,
        extensions=[_Unindented],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["breakable"] = _breakable
    made.filters["options"] = _keep_options
    made.filters["share"] = _share
    return made


def _make_printable(value: Any) -> Any:
    """The text in printable form. Markup stays as it is."""
    return printable_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _keep_options(words: str) -> Markup:
    """A text in which no line ends within the name of an option."""
    return _keep_whole(words, lambda part: Markup("").join([part]))


def _breakable(words: str) -> Markup:
    """A text with possible line breaks before the words of names, as in NoDivergence|Between|Client."""
    return _keep_whole(
        words, lambda part: Markup("<wbr>").join(re.split(r"(?<=[a-z])(?=[A-Z])|(?<=_)", part))
    )


def _keep_whole(words: str, show: Callable[[str], Markup]) -> Markup:
    """A text in which no line ends within an option, an arrow or a short tuple. ``show`` shows the rest."""
    whole = Markup('<span class="unbroken">{}</span>')
    parts = enumerate(_UNBROKEN.split(printable(words)))
    return Markup("").join(whole.format(part) if number % 2 else show(part) for number, part in parts)
