"""The pictures of the documentation show pages as they are drawn now."""

from __future__ import annotations

import re

import pytest

from results.generators.screenshots import BY_HAND, IMAGES, PICTURES, fingerprint, make_fingerprints


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(PICTURES))
def test_no_picture_is_older_than_the_files_that_draw(name: str) -> None:
    words = f"python -m results.generators.screenshots {name}"
    assert make_fingerprints().get(name) == fingerprint(name), f"the pages are drawn differently now: {words}"


def test_every_picture_of_the_documentation_is_made_by_the_command() -> None:
    texts = [*IMAGES.parent.glob("*.md"), IMAGES.parent.parent / "README.md"]
    shown = {name for text in texts for name in re.findall(r"images/([\w-]+)\.png", text.read_text())}
    assert len(shown) > 3
    assert shown <= PICTURES.keys() | BY_HAND
    assert {file.stem for file in IMAGES.glob("*.png")} == PICTURES.keys() | BY_HAND
