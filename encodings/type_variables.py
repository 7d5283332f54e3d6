"""The type variables by which mypy and editors know the value that a sort has, and its parts.

``Sort[V]`` is a sort whose expressions are of the class ``V``. Without brackets nothing is known of ``V``, so
a protocol without types stays valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # only type checkers read the defaults

    from verifier.encodings.expressions import Value
    from verifier.encodings.values import AtomValue, RecordValue

    V = TypeVar("V", bound=Value, default=Any)
    V_co = TypeVar("V_co", bound=Value, default=Any, covariant=True)
    K = TypeVar("K", bound=Value, default=Any)
    A = TypeVar("A", bound=Value)
    B = TypeVar("B", bound=Value)
    C = TypeVar("C", bound=Value)
    D = TypeVar("D", bound=Value)
    E = TypeVar("E", bound=Value)
    F = TypeVar("F", bound=Value, default=RecordValue)
    M = TypeVar("M", bound=AtomValue, default=AtomValue)
else:
    from typing import TypeVar

    V, K, F, M = TypeVar("V"), TypeVar("K"), TypeVar("F"), TypeVar("M")
    A, B, C, D, E = TypeVar("A"), TypeVar("B"), TypeVar("C"), TypeVar("D"), TypeVar("E")
    V_co = TypeVar("V_co", covariant=True)
