"""Runs as files: JSON lines, those of a worker (`kernels.bench.protocol`), plain or compressed with gzip.

| event               | fields                                 | means                                              |
|---------------------|----------------------------------------|----------------------------------------------------|
| run                 | id, name, started, purpose, options,   | the samples after this line are one run            |
|                     | sources                                |                                                    |
| environment         | as in the protocol                     | the environment of the samples that name its id    |
| sample, failed      | as in the protocol                     | the outcome of a point                             |
| start, begin, end   |                                        | ignored                                            |

What `tilescope bench --jsonl` prints is such a file without the line `run`. A line that cannot be used costs that line
only: it is skipped, with the reason.
"""

from __future__ import annotations

import gzip
import json
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from kernels.bench.protocol import EnvironmentMessage, Failed, Measured, message_text, parse_message
from kernels.bench.store.database import Row, Skipped, sample_columns
from kernels.bench.store.decode import RowError, decode_sample
from kernels.bench.store.run_header import RunHeader
from kernels.errors import InputError
from kernels.files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import IO

    from kernels.bench.measure.environment import Environment
    from kernels.bench.protocol import Message

MOST_BYTES: Final = 512 * 2**20
"""Largest size of a file, uncompressed: some 100,000 points."""

MOST_LINE_BYTES: Final = 4 * 2**20
"""Longest line: a sample has at most some thousands of times."""

_GZIP: Final = b"\x1f\x8b"


class RunFileReader:
    """Reads a file sample by sample; `header` and `environment` are those of the latest row.

    Parameters
    ----------
    path : Path
        A file of JSON lines; if it begins as a gzip file does, it is decompressed.

    Raises
    ------
    InputError
        From the constructor and while iterating, when the file cannot be read, is too large, or has a line that is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = RunHeader()
        self.environment: Environment | None = None
        """The latest environment of the file."""
        self.point_id = ""
        """Id of the point of the latest row (`kernels.bench.point_ids`); "" in a file of an older version."""
        self.skipped: list[Skipped] = []
        """Lines that could not be used, by their numbers."""
        self._environments: dict[str, Environment] = {}

    def read_header(self) -> None:
        """Read as far as the first environment or sample; the rest of the file is not touched."""
        next(self._messages(), None)

    def __iter__(self) -> Iterator[Row]:
        """Yield the samples in order; their `run` is 0."""
        for message in self._messages():
            if isinstance(message, Measured | Failed):
                sample, self.point_id = message.sample, message.id
                yield Row(0, sample, self._environments.get(sample.environment))

    def _messages(self) -> Iterator[Message]:
        """Yield environments and samples; a line `run` changes `header`."""
        with _opened(self.path) as file:
            for number, line in enumerate(_lines(self.path, file), 1):
                try:
                    message = self._read(line)
                except RowError as error:
                    self.skipped.append(Skipped("line", number, str(error)))
                    continue
                if message is not None:
                    yield message

    def _read(self, line: str) -> Message | None:
        """Return the environment or the sample of a line; raises RowError.

        A sample is checked as a row of a store is: a file that people copy may be damaged, too.
        """
        if not line.strip():
            return None
        try:
            if '"run"' in line and (data := json.loads(line))["event"] == "run":
                self.header = RunHeader.from_json(data)
                return None
            message = parse_message(line)
        except (InputError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise RowError("it is not a message of a measurement") from None
        match message:
            case None:
                raise RowError("it is not a message of a measurement")
            case EnvironmentMessage(environment):
                self.environment = self._environments[environment.id] = environment
                self._environments[_environment_id(line)] = environment
            case Measured(sample, point_id):
                message = Measured(decode_sample(sample_columns(0, sample)), point_id)
            case Failed(sample, point_id):
                message = Failed(decode_sample(sample_columns(0, sample)), point_id)
            case _:
                return None
        return message


def _environment_id(line: str) -> str:
    """Return the id that the file gives an environment; a newer version may compute another one."""
    return str(json.loads(line).get("id", ""))


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of bytes, decompressed; turn every error of reading it into an InputError."""
    try:
        with path.open("rb") as raw:
            if raw.peek(2)[:2] != _GZIP:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked  # type: ignore[misc]  # an IO[bytes] in all but name
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: the compressed file is damaged or incomplete: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _lines(path: Path, file: IO[bytes]) -> Iterator[str]:
    total = 0
    while line := file.readline(MOST_LINE_BYTES + 1):
        total += len(line)
        if len(line) > MOST_LINE_BYTES:
            raise InputError(f"{path}: a line has more than {MOST_LINE_BYTES:,} bytes: this is not a file of samples")
        if total > MOST_BYTES:
            raise InputError(f"{path}: the file has more than {MOST_BYTES:,} bytes: divide it into smaller files")
        yield line.decode("utf-8", errors="replace")


def run_lines(header: RunHeader, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a run, without line breaks: its header, each environment before its first sample, samples."""
    yield json.dumps({"event": "run", **header.to_json()})
    written: set[str] = set()
    for row in rows:
        if row.environment is not None and row.environment.id not in written:
            written.add(row.environment.id)
            yield message_text(EnvironmentMessage(row.environment))
        sample = row.sample
        yield message_text(Measured(sample) if sample.verified or sample.outcome == "wrong" else Failed(sample))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, compressed where the name ends in `.gz`; the same lines always give the same bytes.

    Raises
    ------
    InputError
        When the file cannot be written.
    """
    with atomic_file(path) as name, name.open("wb") as raw:
        if path.suffix != ".gz":
            raw.writelines(f"{line}\n".encode() for line in lines)
            return
        with gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
            packed.writelines(f"{line}\n".encode() for line in lines)
