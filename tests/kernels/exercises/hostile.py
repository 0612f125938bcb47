"""A folder of submissions: right ones, wrong ones, and those that try to harm who grades them."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING

from kernels.exercises import exercises
from kernels.exercises.submission import Submission, submission_text
from tests.cases import Cases
from tests.kernels.exercises.answers import solution, wrong_answers

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

SECRET = "the answer of another person"
"""Text of a file outside of the folder; it must occur in no report."""

_HEAD = 'extern "C" __global__ void guard(int *out, int height, int width)\n{\n'
_GUARD = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
_STORE = "    if (i < height * width)\n        out[i] = i;\n"


def _guard(body: str, before: str = "") -> str:
    return f"{before}{_HEAD}{_GUARD}{body}{_STORE}}}\n"


TEXTS = {
    "endless": _guard("    while (true) {\n    }\n"),
    "endless_counter": _guard("    for (unsigned long long n = 0;; ++n)\n        out[0] = n;\n"),
    "spin": _guard("    volatile int *flag = out;\n    while (flag[0] != 12345) {\n    }\n"),
    "barrier": _guard("    if (threadIdx.x == 0)\n        while (true)\n            __syncthreads();\n"),
    "flood": _guard('    for (int n = 0; n < 1000000000; ++n)\n        printf("%d of a flood of words\\n", n);\n'),
    "wide_flood": _guard('    for (int n = 0; n < 100000; ++n)\n        printf("%4096d%4096d\\n", n, n);\n'),
    "include_relative": _guard("", '#include "../others/secret.cuh"\n'),
    "include_angle": _guard("", "#include <../others/secret.cuh>\n"),
    "include_root": _guard("", '#include "/etc/passwd"\n'),
    "include_neighbour": _guard("", '#include "right_0.tilescope.json"\n'),
    "include_answer": '#include "../others/answer.cuh"\n',
    "include_itself": _guard("", '#include "answer.cu"\n'),
    "shared": _guard("    __shared__ float big[1 << 28];\n    big[i] = i;\n"),
    "local": _guard("    double big[1 << 26];\n    for (int n = 0; n < (1 << 26); ++n)\n        big[n] = i;\n"),
    "heap": _guard("    for (int n = 0; n < 1000000; ++n)\n        ((char *)malloc(1 << 20))[0] = 1;\n"),
    "static": _guard("    big[i] = 1;\n", "__device__ double big[1 << 30];\n"),
    "macros": _guard(
        "    i += z9;\n", "#define z0 1\n" + "".join(f"#define z{n + 1} " + f"z{n}+" * 15 + f"z{n}\n" for n in range(9))
    ),
    "brackets": _guard(f"    i = {'(' * 100_000}i{')' * 100_000};\n"),
    "blocks": _guard("    " + "{" * 50_000 + "}" * 50_000 + "\n"),
    "recursion": _guard("    i += down(i);\n", "__device__ int down(int n) { return down(n + 1) + 1; }\n"),
    "templates": _guard(
        "    i += Deep<0>::value;\n", "template <int N> struct Deep { static const int value = Deep<N + 1>::value; };\n"
    ),
    "constexpr": _guard(
        "    int more[forever(1)];\n    i += more[0];\n", "constexpr int forever(int n) { while (n) ++n; return n; }\n"
    ),
    "comment": _guard("") + "/*" * 10_000,
    "controls": _guard("    \x1b]0;owned\x07\x1b[2J i = i;\n"),
    "assembly": _guard('    asm volatile("trap;");\n'),
}
"""Answers to `guard` that try to harm the process that judges them."""


def write_folder(top: Path, count: int) -> Path:
    """Write a folder `submissions`, with files of others beside it; at least `count` entries. Return it."""
    folder, others = top / "submissions", top / "others"
    folder.mkdir(parents=True)
    others.mkdir()
    (others / "secret.cuh").write_text(f"// {SECRET}\n#error {SECRET}\n", encoding="utf-8")
    (others / "answer.cuh").write_text(f"// {SECRET}\n{_guard('')}", encoding="utf-8")

    def submit(name: str, answers: dict[str, str], person: str = "") -> None:
        (folder / f"{name}.tilescope.json").write_text(
            submission_text(Submission(answers, person or name)), encoding="utf-8"
        )

    for name, text in TEXTS.items():
        submit(f"hostile_{name}", {"guard": text})
    submit("hostile_grid", {"grid_too_small": CASES.source("grid")})
    submit("hostile_names", {"guard": _guard("")}, person='=HYPERLINK("http://example.org")<script>alert(1)</script>')
    submit("hostile_unknown", {"no_such_exercise": "", "guard": _guard("")})
    generator = random.Random(1)
    contents = {
        "random.tilescope.json": generator.randbytes(20_000),
        "random.json": generator.randbytes(5),
        "latin1.tilescope.json": '{"format": 1, "name": "Zoë", "answers": {}}'.encode("latin-1"),
        "empty.tilescope.json": b"",
        "nothing.json": b"{}",
        "list.json": b"[1, 2, 3]",
        "nested.json": b"[" * 200_000,
        "long_number.json": b'{"format": ' + b"9" * 100_000 + b"}",
        "large.json": b" " * 3_000_000,
        "nul.json": b"\0" * 100,
        "changed.json": submission_text(Submission({"guard": "first"})).replace("first", "other").encode(),
        "texts.json": json.dumps({"format": 1, "answers": {"guard": {"text": 5}}}).encode(),
        "source.cu": _guard("").encode(),
        "photo.jpg": b"\xff\xd8\xff" + generator.randbytes(500),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "empty_folder").mkdir()
    (folder / "person_17").mkdir()
    (folder / "person_17" / "answers.tilescope.json").write_text(
        submission_text(Submission({"guard": solution("guard")}, "in a folder")), encoding="utf-8"
    )
    if os.name != "nt":
        (folder / "link_out.tilescope.json").symlink_to(others / "secret.cuh")
        (folder / "link_nowhere.tilescope.json").symlink_to("nowhere")
        (folder / "link_folder").symlink_to(others)
        (folder / "link_circle").symlink_to(folder)
        os.mkfifo(folder / "pipe.tilescope.json")
        (folder / "new\nline\x1b[2J.json").write_bytes(b"{}")
    names = [exercise.id for exercise in exercises()]
    number = 0
    while sum(1 for _ in folder.iterdir()) < count:
        if number % 2:
            submit(f"wrong_{number}", {name: wrong_answers(name)[number % 3].text for name in names[number % 5 :: 5]})
        else:
            submit(f"right_{number}", {name: solution(name) for name in names[number % 5 :: 5]})
        number += 1
    return folder
