"""The notebook of the examples runs, and shows what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import ROOT

NOTEBOOK = ROOT / "docs" / "examples" / "first_violation.ipynb"


@pytest.mark.thorough
def test_the_notebook_shows_results_and_executions(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    cells = [cell for cell in client.execute().cells if cell.cell_type == "code"]
    said, page, states, leaders, proof = (cell.outputs[-1] for cell in cells)
    assert said["text"] == "StrongIsr  VIOLATED in 12 steps\n"
    assert "<iframe" in page["data"]["text/html"]
    assert "ControllerElectLeader(leader=r1)" in states["data"]["text/html"]
    assert "leader=r3" in leaders["data"]["text/plain"]
    assert proof["text"] == "StrongIsr  PROVED\n"
