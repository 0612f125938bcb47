"""Options that describe a plan: kernels, sizes, memory and limits, for the commands that measure or prepare it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kernels.bench.plan import DEFAULT_FILL, Plan, entries, libraries, plan_of_launch, points, require_rate
from kernels.bench.sample import MEMORIES
from kernels.bench.sizes import coarse_to_fine, sizes_of
from kernels.catalog import find_kernel, says_launch
from kernels.cli.entry_options import check_options, thread_counts
from kernels.cli.launch_options import LaunchRequest, launch_options
from kernels.control_characters import escape_controls
from kernels.errors import InputError
from kernels.fill import WORDS, Fills
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.bench.sample import Point
    from kernels.bench.sizes import SizeRule
    from kernels.catalog import Kernel
    from kernels.custom_launch.model import CustomLaunch
    from kernels.gpu.memory import Memory

_GPU_SIZES: Final = "512,1024,2048"
_CPU_SIZES: Final = "64,128,256,512"
_MOST_SIZES: Final = 10_000
FILL_HELP: Final = f"Fill of the inputs: {WORDS}; or one for each input, as in 'A=mod(3);B=mod(4)'."


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Values of the options, by their names."""

    kernels: tuple[str, ...]
    launch: LaunchRequest
    blocks: tuple[str, ...]
    sizes: str | None
    first: int | None
    last: int | None
    step: int | None
    doubling: bool
    odd: bool
    threads: tuple[str, ...]
    memories: tuple[Memory, ...]
    cold: bool
    no_baseline: bool
    total: float | None
    time_limit: float
    budget: float
    fill: str
    no_fmad: bool
    no_graphs: bool

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options."""
        own = (field.name for field in fields(cls) if field.name != "launch")
        return (*own, *LaunchRequest.names())

    def plan(self, chosen: Sequence[Kernel]) -> Plan:
        """Return the plan for these kernels.

        Raises
        ------
        TilescopeError
            When an option or a file cannot be used.
        """
        self.check_launch()
        block_sizes = [Dim3.parse(text) for text in self.blocks]
        counts = thread_counts(self.threads)
        check_options(
            chosen,
            blocks=() if self.gives_launch else block_sizes,
            threads=counts,
            memories=self.memories,
            cold=self.cold,
            no_graphs=self.no_graphs and not self.own_files,
        )
        rule = _rule(self.step, doubling=self.doubling, odd=self.odd)
        curves = [e for k in chosen for e in entries(k, block_sizes, counts, self.memories, cold=self.cold)]
        ends = (self.first, self.last, self.step)
        return Plan(
            (*points(curves, coarse_to_fine(_sizes(chosen, self.sizes, rule, ends))), *self._launches()),
            baselines=() if self.no_baseline else libraries(curves),
            total_s=self.total,
            budget_s=self.budget,
            time_limit_s=self.time_limit,
            fill=Fills.parse(self.fill),
            fmad=not self.no_fmad,
            graphs=not self.no_graphs,
        )

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files that describe no problem: a launch of each is timed as it is."""
        files = (Path(name) for name in dict.fromkeys(self.kernels) if name.endswith(".cu"))
        return tuple(file for file in files if file.is_file() and not says_launch(file))

    @property
    def gives_launch(self) -> bool:
        """Whether the options say how an own file is launched: any of them does, and --block for own files only."""
        return bool(self.launch.options or (self.blocks and self.own_files and not self._described))

    @property
    def _described(self) -> tuple[str, ...]:
        """Names of kernels that have a launch for every size."""
        own = self.own_files
        return tuple(name for name in self.kernels if Path(name) not in own)

    def check_launch(self) -> None:
        """Refuse options that do not describe one launch of one file, and those without effect on a launch as it is.

        Raises
        ------
        TilescopeError
            With the option and the reason.
        """
        if self.own_files and not self._described:
            self._refuse_for_launches()
        if self.gives_launch:
            self._own_launch()

    def _refuse_for_launches(self) -> None:
        options: dict[str, object] = {"--sizes": self.sizes, "--from": self.first, "--to": self.last}
        options |= {"--step": self.step, "--doubling": self.doubling, "--odd": self.odd}
        options |= {"--memory": self.memories, "--cold": self.cold, "--threads": self.threads}
        why = f"{self.own_files[0]} describes no problem, so its launch is timed as it is"
        for option, value in options.items():
            if value:
                raise InputError(f"{option}: {why}: omit it")
        if self.fill != str(DEFAULT_FILL):
            raise InputError(f"--fill {self.fill}: {why}: fill each array with --arg")

    def _own_launch(self) -> CustomLaunch:
        """Return the launch that the options give for the only file."""
        option = next(iter(self.launch.options), "--block")
        if self._described or not self.own_files:
            named = self._described[:1]
            why = f"the launch of {named[0]} follows from its size" if named else "no file is named"
            raise InputError(f"{option} is for one FILE.cu without a tilescope comment: {why}: omit it")
        if len(self.own_files) > 1:
            names = ", ".join(str(file) for file in self.own_files)
            raise InputError(f"{option} describes the launch of one file: choose one of {names}")
        if len(self.blocks) > 1:
            raise InputError(f"--block is given {len(self.blocks)} times: a launch has one block")
        return self.launch.launch_of(self.own_files[0], next(iter(self.blocks), None))

    def _launches(self) -> Iterator[Point]:
        """Yield the point of the launch that the options give; else one for each kernel of the own files.

        A proposed launch is reported.
        """
        if self.gives_launch:
            yield from plan_of_launch(self._own_launch()).points
            return
        from kernels.launch_inference.proposals import proposals

        for file in self.own_files:
            for launch in proposals(file.resolve()):
                words = escape_controls(launch.words)
                click.echo(f"tilescope: {file} describes no problem: it is timed with this launch: {words}", err=True)
                yield from plan_of_launch(launch).points

    def named_kernels(self) -> tuple[Kernel, ...]:
        """Return the kernels that are named.

        Raises
        ------
        InputError
            When a kernel is not known, or has no rate.
        """
        chosen = tuple(find_kernel(name) for name in self._described)
        for kernel in chosen:
            require_rate(kernel)
        return chosen


_OPTIONS: Final = (
    click.argument("kernels", nargs=-1, metavar="[KERNEL|FILE.cu]..."),
    click.option("--block", "blocks", multiple=True, metavar="X,Y", help="Block size; may be given several times."),
    click.option("--sizes", metavar="N,N,...", help="Problem sizes: n, or MxNxK, separated by commas."),
    click.option("--from", "first", type=click.IntRange(1), metavar="N", help="First n of a range of sizes."),
    click.option("--to", "last", type=click.IntRange(1), metavar="N", help="Last n of the range."),
    click.option("--step", type=click.IntRange(1), metavar="N", help="From one n of the range to the next."),
    click.option("--doubling", is_flag=True, help="In the range, each n is twice the one before."),
    click.option("--odd", is_flag=True, help="One less than with --doubling: no tile divides n."),
    click.option("--threads", multiple=True, metavar="T,T,...", help="CPU threads; all cores unless given."),
    click.option(
        "--memory",
        "memories",
        multiple=True,
        type=click.Choice(MEMORIES),
        help="Memory of the arrays: device (the default: the time of the kernel alone), pageable or pinned (with the "
        "transfers from and to the host), or managed.",
    ),
    click.option(
        "--cold",
        is_flag=True,
        help="Flush the GPU's L2 cache before every launch, outside the time: a series of its own.",
    ),
    click.option("--no-baseline", is_flag=True, help="Do not time library routines in turns with the other kernels."),
    click.option(
        "--total",
        type=float,
        metavar="S",
        help="Seconds for all points; those that have not begun then are skipped.",
    ),
    click.option(
        "--time-limit",
        type=float,
        default=60.0,
        show_default=True,
        metavar="S",
        help="Seconds for one point, with compiling and verifying; a process that takes longer is ended.",
    ),
    click.option(
        "--budget", type=float, default=1.0, show_default=True, metavar="S", help="Seconds of timing for one point."
    ),
    click.option("--fill", default=str(DEFAULT_FILL), show_default=True, metavar="FILL", help=FILL_HELP),
    click.option("--no-fmad", is_flag=True, help="Round after every multiplication, too."),
    click.option("--no-graphs", is_flag=True, help="Do not capture launches below 50 µs in a CUDA graph."),
)


def plan_options(command: Callable[..., int]) -> Callable[..., int]:
    """Decorate a command: it gets the options above and those of a launch as one `request`, a `PlanRequest`."""

    @wraps(command)
    def with_request(**values: Any) -> int:
        request = PlanRequest(**{field.name: values.pop(field.name) for field in fields(PlanRequest)})
        return command(request=request, **values)

    decorated = launch_options(with_request)
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _rule(step: int | None, *, doubling: bool, odd: bool) -> SizeRule | None:
    """Return the rule of a range of sizes; None without one."""
    found: list[SizeRule] = [
        *(("steps",) if step is not None else ()),
        *(("doubling",) if doubling else ()),
        *(("odd",) if odd else ()),
    ]
    if len(found) > 1:
        raise InputError("give one of --step, --doubling and --odd")
    return found[0] if found else None


def _sizes(
    kernels: Sequence[Kernel],
    text: str | None,
    rule: SizeRule | None,
    steps: tuple[int | None, int | None, int | None],
) -> tuple[Size, ...]:
    first, last, step = steps
    if first is None and last is None and rule is None:
        on_cpu = any(kernel.runs_on == "cpu" for kernel in kernels)
        return tuple(Size.parse(part) for part in (text or (_CPU_SIZES if on_cpu else _GPU_SIZES)).split(","))
    if text is not None:
        raise InputError("give sizes as a list with --sizes, or as a range with --from and --to, not both")
    if first is None or last is None or rule is None or first > last:
        raise InputError(
            "a range of sizes takes both ends, the smaller first, and --step, --doubling or --odd: "
            "--from 256 --to 2048 --step 256"
        )
    count = (last - first) // (step or 1) + 1 if rule == "steps" else 0
    if count > _MOST_SIZES:
        smallest_step = -(-(last + 1 - first) // _MOST_SIZES)
        raise InputError(
            f"{count:,} sizes are too many, at most {_MOST_SIZES:,}: choose a larger step, as in --step {smallest_step}"
        )
    found = sizes_of(rule, first, last, step or 1)
    if not found:
        raise InputError(f"there is no size of this kind from {first} to {last}")
    return found
