"""Messages about sorts of variables are short, however many values a sort lists."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from verifier.encodings.listed_sort import Listed
from verifier.encodings.sorts import Range
from verifier.tla.order import Order
from verifier.tla.translate.coding import Names
from verifier.tla.translate.joining import join_sorts
from verifier.tla.translate.symbolic import Untranslated


def test_a_sort_of_many_values_is_named_in_a_few_words() -> None:
    translator: Any = SimpleNamespace(kept_narrow=False, joins={}, names=Names(Order()))
    listed = Listed(*range(-100_000, -90_000), 2**31 - 1)
    with pytest.raises(Untranslated) as caught:
        join_sorts(translator, listed, Range(-99_999, 2**31))
    words = str(caught.value)
    assert words.startswith("Listed(-100000, -99999, -99998, ")
    assert "0001, 2147483647) and -99999..2147483648 have no common sort" in words
    assert len(words) < 300
