"""String literals: as first values of arrays, through pointers, as arguments of printf."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("", 'const char s[] = "ab\\n"; r = s[t % 4] + 1000 * sizeof(s);', [4000 + c for c in b"ab\n\0"] * 2),
        (
            '__constant__ char word[6] = "hey"; __device__ const char other[] = "x" "y";',
            "r = word[t % 4] + other[1];",
            [ord("y") + c for c in b"hey\0"] * 2,
        ),
        ("", 'printf(R"(a "b" %d\\n)", t); r = 1;', [1] * 8),
    ],
)
def test_string_literals(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


def test_pointers_to_string_literals() -> None:
    source = """
    __constant__ char days[2][4] = {"mon", "tue"};
    __device__ void say(const char *who, int n) { printf("%s:%d %5s;", who, n, n < 2 ? "few" : "many"); }
    __device__ int length(const char *s) { int n = 0; while (s[n]) ++n; return n; }
    __global__ void k(int *out) {
        int t = threadIdx.x;
        const char *name = t == 1 ? "one" : "other";
        if (t & 1) say(name, t); else say("even", t);
        const char *rest[] = {"wed", "sun"};
        printf("%s|", t < 2 ? days[t] : rest[1]);
        out[t] = length(name) + name[0];
    }"""
    found = trace(source, {"out": Unwritten("int32", (4,))}, block=(4,))
    assert found.outputs["out"].tolist() == [5 + ord("o"), 3 + ord("o"), 5 + ord("o"), 5 + ord("o")]
    assert found.hazards == ()
    assert "".join(found.printf) == "one:1   few;other:3  many;even:0   few;even:2  many;mon|tue|sun|sun|"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('const char s[] = "ab"; printf("%s", s);', "%s of local memory; print its characters with %c"),
        ("char *s = (char *)\"ab\"; s[0] = 'c';", "const|read"),
    ],
)
def test_unsupported_uses_of_strings_are_refused(body: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        lanes(body)
