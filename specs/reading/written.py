"""The part of a protocol's source text whose running raised an error."""

from __future__ import annotations

import ast
from types import FrameType

from verifier.errors import cut
from verifier.specs.reading.code_places import is_watched
from verifier.specs.reading.suspects import parse_text, source

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def find_written_expression(error: BaseException) -> str:
    """The expression of the protocol that was running when ``error`` was raised; empty if unknown."""
    node, text = _node(error), _text(error)
    if node is None:
        return ""
    exact = ast.get_source_segment(text, node) or ""
    return cut(ast.unparse(node) if "\n" in exact else exact)


def loop(error: BaseException) -> tuple[str, str] | None:
    """The variable and the domain of the loop that was running; None if it was none over a plain name."""
    node = _node(error)
    if isinstance(node, _COMPREHENSIONS):
        node = node.generators[0]
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Name | ast.Attribute):
        return ast.unparse(node.target), ast.unparse(node.iter)
    return None


def _node(error: BaseException) -> ast.For | ast.expr | ast.comprehension | None:
    found = _find_raising_frame(error)
    if found is None:
        return None
    frame, instruction = found
    wanted = list(frame.f_code.co_positions())[instruction // 2]
    nodes = list(ast.walk(parse_text(_text(error))))
    loops = (
        node for node in nodes if isinstance(node, ast.For) and wanted in (_span(node), _span(node.iter))
    )
    return next(loops, None) or next(
        (node for node in nodes if isinstance(node, ast.expr) and _span(node) == wanted), None
    )


def _text(error: BaseException) -> str:
    frame = _find_raising_frame(error)
    return "" if frame is None else source(frame[0].f_code, frame[0].f_globals)


def _span(node: ast.expr | ast.For) -> tuple[int, int | None, int, int | None]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _find_raising_frame(error: BaseException) -> tuple[FrameType, int] | None:
    """The innermost frame of the protocol's code, with its instruction."""
    frame, step = None, error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        if is_watched(step.tb_frame.f_code.co_filename, module):
            frame = step.tb_frame, step.tb_lasti
        step = step.tb_next
    return frame
