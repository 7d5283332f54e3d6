"""``verify sweep``: the options; ``verifier.cli.sweep_run`` does the work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from verifier.cli.output import format_option
from verifier.cli.parameters import COUNT, DURATION, POSITIVE, SIZE
from verifier.cli.paths import FileToRead, FileToWrite, SpecName
from verifier.cli.specs import SPEC_HELP

_GRID_HELP = (
    "Values of a constant: a range, replicas=2..4, or a list, log_size=1,2,3. May be repeated; each "
    "combination is a job."
)
_PROPERTY_HELP = (
    "What to check; may be repeated. 'all' is all of them. [default: what each spec checks by default]"
)
_OPTION_HELP = "An option of the engines, as in steps=serial or solver=z3; may be repeated."
_SPLIT_HELP = "Split the search of each bmc job into this many parts, which are tasks of their own."
_MASTER_HELP = (
    "Where Spark runs: local[*] is this machine, embedded; spark://HOST:PORT, k8s://..., yarn are clusters."
)
_ARCHIVE_HELP = "A packed environment for the executors of a cluster, with this package in it."
_RERUN_HELP = (
    "Run again what has a row with this verdict, property, spec or engine, as in verdict=inconclusive; may "
    "be repeated."
)
_EXPECT_HELP = (
    "The verdict that counts as success: holds, violated, proved, ...; PROPERTY=VERDICT speaks of one "
    "property. May be repeated."
)


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    file: Path | None
    specs: tuple[str, ...]
    axes: tuple[str, ...]
    properties: tuple[str, ...]
    engines: tuple[str, ...]
    depth: int | None
    timeout: float | None
    memory: int | None
    engine_options: tuple[str, ...]
    split: int | None
    out: Path
    rerun: tuple[str, ...]
    master: str
    archive: Path | None
    conf: tuple[str, ...]
    spark_log: Path | None
    expect: tuple[str, ...]
    output_format: str


@click.command("sweep")
@click.argument("file", metavar="[GRID.toml]", required=False, type=FileToRead())
@click.option(
    "--spec", "specs", type=SpecName(), multiple=True, metavar="SPEC", help=f"{SPEC_HELP} May be repeated."
)
@click.option("--grid", "axes", multiple=True, metavar="NAME=VALUES", help=_GRID_HELP)
@click.option("--property", "properties", multiple=True, metavar="NAME", help=_PROPERTY_HELP)
@click.option(
    "--engine", "engines", multiple=True, metavar="NAME", help="bmc, explore, induct or prove. [default: bmc]"
)
@click.option("--depth", type=COUNT, help="The most actions of an execution. [default: the spec's]")
@click.option("--timeout", type=DURATION, help="End a job after this time: 90, 90s, 2m, 1h.")
@click.option("--memory", type=SIZE, help="End a job at this much memory: 512MiB, 2GiB.")
@click.option("--option", "engine_options", multiple=True, metavar="NAME=VALUE", help=_OPTION_HELP)
@click.option("--split", type=POSITIVE, help=_SPLIT_HELP)
@click.option(
    "--out",
    type=FileToWrite(),
    default="sweep",
    show_default=True,
    metavar="FOLDER",
    help="Where the rows are kept. The same command again runs only what is missing there.",
)
@click.option("--rerun", multiple=True, metavar="NAME=VALUE", help=_RERUN_HELP)
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help=_MASTER_HELP)
@click.option("--archive", type=FileToRead(), metavar="FILE", help=_ARCHIVE_HELP)
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A setting of Spark; may be repeated.")
@click.option(
    "--spark-log",
    type=FileToWrite(),
    metavar="FILE",
    help="Where Spark's own messages go. [default: spark.log in FOLDER]",
)
@click.option("--expect", multiple=True, metavar="VERDICT", help=_EXPECT_HELP)
@format_option
def command(**given: Any) -> int:
    """Run many jobs: every combination of specs, constants, properties and engines, on Spark.

    Rows are kept in FOLDER as Parquet while the sweep runs. Ctrl-C keeps what is done. Needs Java 17.

    \b
    Examples:
      verify sweep --spec kip279 --spec kip320 --grid replicas=2..3 --grid log_size=1,2 --depth 10
      verify sweep grid.toml --timeout 60s --out nightly
      verify sweep grid.toml --out nightly --rerun verdict=inconclusive --timeout 10m
    """
    from verifier.sweep.extra import TO_SWEEP, check_extra

    check_extra("verify sweep", TO_SWEEP)  # before what follows, which imports them
    from verifier.cli.sweep_run import run

    return run(Options(**given))
