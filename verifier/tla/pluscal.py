"""PlusCal and its translation in a module: the check that neither was changed after translation.

The translator writes two checksums. That of the translation is the CRC-32 of its lines, as UTF-8 bytes
without line ends. That of the algorithm is computed from the translator's tree in memory, which is not
rebuilt here. Instead, the words, numbers and strings of both are compared, and then the expressions: a
translation contains those of the algorithm, and few others.

Source: ``pcal.Validator`` (tlaplus/tlaplus).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from verifier.tla.pluscal_statements import difference

_BEGIN = re.compile(
    r"\\\* BEGIN TRANSLATION\s+\(\s*ch(?:ec)?ksum\(p(?:lus)?cal\)"
    r"\s*(?:=\s*\"(?P<algorithm>[0-9a-f]*)\"|\\in\s*STRING)\s*/\\"
    r"\s*ch(?:ec)?ksum\(tla\+?\)\s*(?:=\s*\"(?P<translation>[0-9a-f]*)\"|\\in\s*STRING)\s*\)",
    re.IGNORECASE,
)
_BEGINS, _ENDS = re.compile(r"^.*BEGIN +TRANSLATION.*$", re.M), re.compile(r"^.*END +TRANSLATION", re.M)
_ALGORITHM = re.compile(r"--(?P<fair>fair\+?\s+)?algorithm\s+\w+(?P<braces>\s*\{)?")
_OPTIONS = re.compile(r"PlusCal\s+options\s*\(([^)]*)\)")
_FAIR = re.compile(r"\bfair\+?\s+process\b")
_OPTIONS_OF_FAIRNESS = frozenset({"wf", "sf", "wfNext"})
_SUM_OF_FAIR = f"{zlib.crc32(b'fair'):x}"
"""The checksum that the translator writes for each algorithm that begins with ``--fair``."""
_BRACKET = re.compile(r'(?P<string>"(?:\\.|[^"\\\n])*")|(?P<open>\(\*)|(?P<close>\*\))|\\\*[^\n]*|[{}]')
_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\(\*|\*\)|\\\*[^\n]*')
_END = re.compile(r"\bend\s+algorithm\b")
_WORD = re.compile(r'"(?:\\.|[^"\\\n])*"|(?<![\\\w])(?!_vars\b)\w+')
_MACRO = re.compile(r"\bmacro\s+(?P<name>\w+)\s*\([^)]*\)\s*(?P<braces>\{)?")
_END_OF_MACRO = re.compile(r"\bend\s+macro\b")
_LABEL = re.compile(r"\b(\w+)\s*:(?![=:>])")
_OF_PLUSCAL = frozenset({
    "algorithm", "assert", "await", "begin", "call", "define", "do", "either", "else", "elsif", "end", "fair",
    "goto", "if", "macro", "or", "print", "procedure", "process", "return", "self", "skip", "then",
    "variable", "variables", "when", "while", "with", "TRUE", "FALSE",
})  # fmt: skip
_OF_TRANSLATIONS = frozenset({
    "Append", "Assert", "CASE", "CONSTANT", "DOMAIN", '"Done"', "ELSE", "EXCEPT", "FALSE", "Head", "IF", "IN",
    "Init", "LET", "Len", "Next", "OTHER", "PrintT", "ProcSet", "SF_vars", "Spec", "THEN", "TRUE", "Tail",
    "Terminating", "Termination", "UNCHANGED", "VARIABLE", "VARIABLES", "WF_vars", "defaultInitValue", "pc",
    "procedure", "self", "stack", "vars",
})  # fmt: skip


def explain_missing_translation(text: str, module: str) -> str:
    """Return a message about the missing translation of PlusCal; empty if there is one, or no PlusCal."""
    if _algorithm(text) is None or _translation(text) is not None:
        return ""
    return f"{module} has a PlusCal algorithm and no translation, which is what is read: {_HOW}"


def changes(text: str, module: str) -> Iterator[str]:
    """Yield messages about changes since the translation was written."""
    translated = _translation(text)
    if translated is None:
        return
    begin, translation = translated
    sums = _BEGIN.search(begin)
    if sums is None:
        return
    if sums["translation"] is not None and _checksum(translation) != sums["translation"].lower():
        yield f"{module}: the translation of the PlusCal algorithm was changed since it was written"
        return
    algorithm = _algorithm(text)
    if algorithm is not None and sums["algorithm"] is not None:
        difference = _difference(text, algorithm, _without_comments(translation), sums["algorithm"].lower())
        if difference:
            words = f"{module}: the PlusCal algorithm was changed since it was translated, {difference}"
            yield f"{words}: what is read is the translation; {_HOW}"


def _difference(text: str, algorithm: str, translation: str, checksum: str) -> str:
    """Return what one of both has and the other has not, in words. ``checksum``: that of the algorithm."""
    begin = _ALGORITHM.search(text)
    used, macros = _without_macros(algorithm)
    braces = begin is not None and begin["braces"] is not None
    is_fair = begin is not None and begin["fair"] is not None
    if is_fair != (checksum == _SUM_OF_FAIR):
        return "which is fair, and was not" if is_fair else "which is not fair, and was"
    words_apart = _only_in_one(algorithm, translation) or difference(used, translation, macros, braces=braces)
    return words_apart or ("" if is_fair else _difference_of_processes(text, used, translation))


def _difference_of_processes(text: str, used: str, translation: str) -> str:
    """Return the fairness that the processes have and the translation has not, or the other way around.
    Options in the file may ask for it. Those of the translator's command are kept nowhere: an algorithm
    without processes may be fair by them, and the translator's checksum does not tell."""
    options = {word for line in _OPTIONS.findall(text) for word in re.findall(r"\w+", line)}
    if options & _OPTIONS_OF_FAIRNESS or not re.search(r"\bprocess\b", used):
        return ""
    is_fair, there = _FAIR.search(used) is not None, re.search(r"\b[WS]F_vars(?!\(Next\))", translation)
    if there is not None and not is_fair:
        return f"which has no fair process, and the translation has {there[0]}"
    return "which has a fair process, and the translation has no WF_vars" if is_fair and not there else ""


_HOW = "java -cp tla2tools.jar pcal.trans FILE.tla writes the translation"


def _translation(text: str) -> tuple[str, str] | None:
    """Return the line that begins a translation, and its own lines."""
    begin = _BEGINS.search(text)
    end = _ENDS.search(text, begin.end()) if begin is not None else None
    if begin is None or end is None:
        return None
    return begin.group(), text[begin.end() + 1 : end.start()]


def _checksum(lines: str) -> str:
    return f"{zlib.crc32(lines.replace(chr(10), '').encode()):x}"


def _algorithm(text: str) -> str | None:
    """Return the text of the algorithm, without comments; None if it is not in a comment of its own."""
    algorithm = _ALGORITHM.search(text)
    if algorithm is None or not _in_comment(text, algorithm.start()):
        return None
    whole = _without_comments(text[algorithm.end() :], ends=True)
    if algorithm["braces"]:
        return whole[: _closing(whole)]
    end = _END.search(whole)
    return whole[: end.start()] if end is not None else None


def _in_comment(text: str, position: int) -> bool:
    depth = 0
    for token in _COMMENT.finditer(text, 0, position):
        if token.group() in ("(*", "*)"):
            depth = max(depth + (1 if token.group() == "(*" else -1), 0)
        elif depth and token.group().startswith('"'):
            depth = max(depth + token.group().count("(*") - token.group().count("*)"), 0)
    return depth > 0


def _without_comments(text: str, *, ends: bool = False) -> str:
    """Return the text without comments. ``ends``: only up to the end of the comment around it."""
    pieces, depth, position = [], 0, 0
    for token in _COMMENT.finditer(text):
        word = token.group()
        if word.startswith('"'):
            continue
        if depth == 0:
            pieces.append(text[position : token.start()])
        if word == "*)" and depth == 0 and ends:
            return "".join(pieces)
        if word in ("(*", "*)"):
            depth = max(depth + (1 if word == "(*" else -1), 0)
        position = token.end()
    return "".join([*pieces, text[position:]])


def _closing(text: str, opened: int = 1) -> int:
    """Return the position of the closing brace for the brace before a text."""
    for token in _BRACKET.finditer(text):
        opened += {"{": 1, "}": -1}.get(token.group(), 0)
        if opened == 0:
            return token.start()
    return len(text)


def _without_macros(text: str) -> tuple[str, set[str]]:
    """Return the text without its macros, which may be unused, and the names of these."""
    pieces, names, position = [], set(), 0
    while (macro := _MACRO.search(text, position)) is not None:
        pieces.append(text[position : macro.start()])
        names.add(macro["name"])
        end = _END_OF_MACRO.search(text, macro.end())
        position = len(text) if end is None else end.end()
        if macro["braces"]:
            position = macro.end() + _closing(text[macro.end() :])
    return "".join([*pieces, text[position:]]), names


def _only_in_one(algorithm: str, translation: str) -> str:
    """Return a word that only one of the two texts has; empty if there is none."""
    theirs, own = set(_WORD.findall(translation)), set(_WORD.findall(algorithm))
    used, macros = _without_macros(algorithm)
    passed_over = _OF_PLUSCAL | macros
    if "pc" not in theirs:
        passed_over |= set(_LABEL.findall(used))
    renamed = {word[: place.start()] for word in theirs for place in re.finditer("_", word)}
    passed_over |= theirs | {word.strip('"') for word in theirs} | renamed
    lost = [word for word in _WORD.findall(used) if word not in passed_over]
    if lost:
        return f"which has {lost[0]}, and the translation has not"
    left = [word for word in _WORD.findall(translation) if word not in own | _OF_TRANSLATIONS]
    left = [word for word in left if not _is_made_by_translating(word, own)]
    return f"which has no {left[0]}, and the translation has" if left else ""


def _is_made_by_translating(word: str, own: set[str]) -> bool:
    """True if the translator writes a word itself. It may be a label, a renamed name, or the message of a
    failing assertion."""
    if word.startswith(("Lbl_", '"Lbl_', '"Failure of assertion at ')):
        return True
    name = word.strip('"')
    return name in own or any(name[: place.start()] in own for place in re.finditer("_", name))
