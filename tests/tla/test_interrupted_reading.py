"""A signal while the nodes of a parsed text are read is an exception, and does not end the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import tree_sitter

from verifier.tla.text import _LANGUAGE, parse_text

ROOT = Path(__file__).resolve().parents[2]
_TEXT = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n" + "".join(
    f'D{number} == \\A y \\in 1..{number} : x < y /\\ "a" # <<y, x>>[1]\n' for number in range(200)
)
_READING = """
import signal, sys
from tests.tla.test_interrupted_reading import _TEXT
from verifier.tla.text import parse_text, text_of

def nodes(node):
    yield node
    for child in node.children:
        yield from nodes(child)

def interrupt(*_):
    raise KeyboardInterrupt

every = list(nodes(parse_text(_TEXT + "====\\n", "M.tla").tree.root_node))
came = 0
signal.signal(signal.SIGALRM, interrupt)
while came < 200:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005)  # one signal, which comes below
        while True:
            for node in every:
                text_of(node)
    except KeyboardInterrupt:
        came += 1
print(came)
"""


def test_signals_while_nodes_are_read_are_exceptions() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _READING], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "200\n"), done.stderr[-2000:]


@pytest.mark.parametrize("end", ["====\n", "E == (1 + \n====\n", "E == [x \\in \n"])
def test_the_tree_is_that_of_the_whole_text(end: str) -> None:
    text = _TEXT + end
    read = parse_text(text, "M.tla")
    alone = tree_sitter.Parser(_LANGUAGE).parse(text.encode(), encoding="utf8")
    assert str(read.tree.root_node) == str(alone.root_node)
