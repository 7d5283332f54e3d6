"""``results/sany-corpus.md``: the texts that SANY's tests take or reject, beside what verify does.

Run ``python -m results.generators.sany_corpus TLAPLUS``: a checkout of TLC's source, of which
``test/tla2sany`` is read. Each text is given to ``verify explore`` with an empty configuration, so that it is
only read. Nothing of theirs is stored but names.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from results.generators.their_tests import AGREES, Row, describe_making, run, table

_TABLE = Path(__file__).resolve().parents[1] / "sany-corpus.md"
_TESTS = Path("tlatools", "org.lamport.tlatools", "test", "tla2sany")
_ENTRY = re.compile(
    r"^=+\|\|\|\n(?P<name>[^\n]+)\n(?P<attributes>(?::[^\n]*\n)*)=+\|\|\|\n(?P<text>.*?)^-+\|\|\|\n",
    re.MULTILINE | re.DOTALL,
)
_MODULE = re.compile(r"-{4,} *MODULE +(\w+)")
_READ = re.compile(r"no value: add CONSTANT|names no SPECIFICATION|after 0 steps")
"""Messages of verify about a module that is correct except for its configuration."""
_MEANING = re.compile(
    r"no definition|not defined|unknown|does not exist|there is no module|there is no file|takes \w+ argument"
    r"|has a meaning already|so it cannot be defined|and never defined|is defined only below"
    r"|has no name: write its level|no step <"
)
"""Messages of verify about names: the texts of the grammar's corpus use undefined names."""


_REASONS = {
    "case: CASE in jlist with weird indentation": "the parser's grammar ends the list within CASE later",
    "ImplicitProofsTest": "the parser's grammar takes `<0>a` behind `<*>` for no step of the same proof",
    "NegativeOpTest": "it declares `-.` and defines it, which SANY takes of no other name",
    "NumbersTest": "it has a real number, so TLC refuses it, too",
}
_FAILURES = re.compile(r"expectFailures\((.*?)\n\t*\)", re.DOTALL)


@dataclass(frozen=True)
class Text:
    """A text of the corpus."""

    name: str
    text: str
    taken: bool
    """True if SANY takes it."""
    grammar: bool
    """True if only its grammar counts."""
    beside: Path | None = None


def texts(tests: Path) -> Iterator[Text]:
    """All texts."""
    corpus = tests / "corpus"
    for file in sorted([*corpus.glob("*.txt"), *corpus.glob("unicode/*.txt")]):
        for entry in _ENTRY.finditer(file.read_text().replace("\r\n", "\n")):
            name = f"{file.stem}: {entry['name'].strip()}"
            yield Text(name, entry["text"], ":error" not in entry["attributes"], True)
    semantic = tests / "semantic"
    for file in sorted(semantic.glob("corpus/*Test.tla")):
        yield Text(file.stem, file.read_text(), True, False, file)
    for file in sorted(semantic.glob("error_corpus/*_Test.tla")):
        yield Text(file.stem, file.read_text(), file.name.startswith("W"), False, file)


def failing(tests: Path) -> set[str]:
    """The texts of the corpus of the grammar of which SANY says something else, as their test expects."""
    found = _FAILURES.search((tests / "parser" / "TlaPlusSyntaxCorpusTests.java").read_text())
    return set(re.findall(r'^\s*"([^"]+)",?$', found[1], re.MULTILINE)) if found is not None else set()


def judge_text(text: Text, folder: Path) -> Row:
    """A text as verify reads it."""
    expected = "taken" if text.taken else "rejected"
    named = _MODULE.search(text.text)
    path = text.beside or folder / f"{named[1] if named is not None else 'Test'}.tla"
    if text.beside is None:
        path.write_text(text.text)
    config = folder / "Empty.cfg"
    config.write_text("")
    code, _, said = run(["explore", "--spec", str(path), "--config", str(config), "--timeout", "20s"])
    fine = code in (0, 12) or _READ.search(said) is not None
    fine = fine or (text.grammar and text.taken and _MEANING.search(said) is not None)
    got = "taken" if fine else "rejected" if code == 2 else f"exit code {code}"
    if got == expected:
        return Row(text.name, expected, got, AGREES, "")
    return Row(text.name, expected, got, "differs", said if got == "rejected" else "")


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    given = parser.parse_args(arguments)
    tests = given.checkout.resolve() / _TESTS
    with tempfile.TemporaryDirectory() as folder:
        rows = [judge_text(text, Path(folder)) for text in texts(tests)]
    left = failing(tests)
    failed = [row for row in rows if row.name.partition(": ")[2] in left]
    grammar = [row for row in rows if ": " in row.name and row not in failed]
    meaning = [row for row in rows if ": " not in row.name]
    _TABLE.write_text(
        "\n".join(
            [
                "# SANY's test corpus",
                "",
                describe_making("python -m results.generators.sany_corpus TLAPLUS"),
                "the texts of `test/tla2sany` that SANY takes or rejects, beside what `verify explore` does",
                "with an empty configuration.",
                "The corpus of the grammar has names that nothing defines, or two things define: what verify",
                "says of names counts for nothing there, as in their test. Of some texts SANY itself does",
                "not do what the corpus says, which their test lists: these are not counted.",
                "",
                "## The grammar (`corpus`)",
                "",
                *table(grammar, "SANY", _REASONS),
                "",
                f"Not counted ({len(failed)}), with what verify does: "
                + ", ".join(f"{row.name} ({row.got})" for row in failed)
                + ".",
                "",
                "## Names, levels, instances (`semantic/corpus`, `semantic/error_corpus`)",
                "",
                *table(meaning, "SANY", _REASONS),
                "",
            ]
        )
    )


if __name__ == "__main__":
    main()
