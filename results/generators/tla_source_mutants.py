"""Mutants of the interpreter and the translation of TLA+, judged by random expressions.

    python -m results.generators.tla_source_mutants SEED COUNT [SECONDS]

A mutant differs at one place of one file. It is killed where what the readers say of some random
expressions is not what they say without it. Survivors are printed with their place: they mean the same, or
a test is missing.
"""

from __future__ import annotations

import ast
import copy
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("verifier/tla/translate", "verifier/tla")
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_NAMED = {"YES": "NO", "NO": "YES", "any": "all", "all": "any", "TRUE": "FALSE", "FALSE": "TRUE"}
_LONGEST = 300


def mutate(node: ast.AST) -> ast.AST | None:
    """Return another node in place of one; None if there is none."""
    made = copy.deepcopy(node)
    match made:
        case ast.Compare(ops=[one]) if type(one) in _COMPARED:
            made.ops = [_COMPARED[type(one)]()]
        case ast.BoolOp():
            made.op = ast.Or() if isinstance(made.op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not()):
            return made.operand
        case ast.Name(ctx=ast.Load()) if made.id in _NAMED:
            made.id = _NAMED[made.id]
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            made.value = value + 1
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            made.value = ast.Constant(None)
        case _:
            return None
    return made


def places(tree: ast.Module) -> list[ast.AST]:
    """The nodes within functions that can be mutated."""
    within = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = {id(part): part for node in within for line in node.body for part in ast.walk(line)}
    return [node for node in found.values() if mutate(node) is not None]


class _Putting(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def mutants(seed: int, root: Path) -> Iterator[tuple[str, str, str]]:
    """Random mutants of the sources in a folder: a file, its text, and the change in words."""
    chance = Random(seed)
    while True:
        folder = chance.choice(FOLDERS)
        file = chance.choice(sorted((root / folder).glob("[a-z]*.py")))
        tree = ast.parse(file.read_text(encoding="utf-8"))
        nodes = places(tree)
        if not nodes:
            continue
        node = chance.choice(nodes)
        other = mutate(node)
        assert other is not None
        change = f"{ast.unparse(node)} -> {ast.unparse(other)}"
        words = f"{file.relative_to(root)}:{getattr(node, 'lineno', 0)}: {change}"
        text = ast.unparse(ast.fix_missing_locations(_Putting(node, other).visit(tree)))
        yield str(file.relative_to(root)), text, words


def answer_expressions() -> str:
    """Return the answers of the readers on some random expressions."""
    from tests.support.tla_mixed import Comparison, draw_trees
    from tests.support.tla_random import compare_expressions

    counted, readers = Counter[str](), Comparison()
    with tempfile.TemporaryDirectory() as folder:
        found = [line for seed in range(6) for line in compare_expressions(Path(folder), seed, 12, counted)]
        for seed in (12, 13):
            found += [
                f"{one.kind} {one.expression}" for one in readers.compare(Path(folder), *draw_trees(seed, 25))
            ]
    counts = [str(sorted(counter.items())) for counter in (counted, readers.found)]
    return re.sub(r"/\S*/M\.tla", "M.tla", "\n".join([*sorted(found), *counts]))


def judge_sources(root: Path) -> str:
    """Return the answers of the sources in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONHASHSEED": "0"}
    code = "from results.generators.tla_source_mutants import answer_expressions as answer; print(answer())"
    command = [sys.executable, "-c", code]
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return "takes too long"
    return done.stdout if done.returncode == 0 else f"ends with an error: {done.stderr[-300:]}"


def main() -> None:
    """Judges some mutants, and prints which survive."""
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    until = time.monotonic() + float(sys.argv[3]) if len(sys.argv) > 3 else float("inf")
    killed = survived = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("verifier", "results"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        expected = judge_sources(root)
        if judge_sources(root) != expected:
            sys.exit("what the readers say varies: nothing can be judged by it")
        for number, (file, text, words) in enumerate(mutants(seed, root)):
            if number == count or time.monotonic() > until:
                break
            kept = (root / file).read_text(encoding="utf-8")
            (root / file).write_text(text, encoding="utf-8")
            if judge_sources(root) == expected:
                survived += 1
                print(f"survives: {words}", flush=True)
            else:
                killed += 1
                print(f"killed: {words}", flush=True)
            (root / file).write_text(kept, encoding="utf-8")
    print(f"{killed} killed, {survived} survive")


if __name__ == "__main__":
    main()
