from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import SourceError
from kernels.frontend import ast, parse_expression
from tests.kernels.frontend.nested_lists import body, shape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ("(a)", "a"),
        ("a + b * c", ["+", "a", ["*", "b", "c"]]),
        ("(a + b) * c", ["*", ["+", "a", "b"], "c"]),
        ("a - b - c", ["-", ["-", "a", "b"], "c"]),
        ("a << 1 < b", ["<", ["<<", "a", 1], "b"]),
        ("a & b == c", ["&", "a", ["==", "b", "c"]]),
        ("a || b && c | d ^ e & f", ["||", "a", ["&&", "b", ["|", "c", ["^", "d", ["&", "e", "f"]]]]]),
        ("a <= b", ["<=", "a", "b"]),
        ("not a and b or c", ["||", ["&&", ["!", "a"], "b"], "c"]),
        ("a ? b : c ? d : e", ["?:", "a", "b", ["?:", "c", "d", "e"]]),
        ("a, b, c", [",", [",", "a", "b"], "c"]),
        ("a ? b : c = d", ["?:", "a", "b", ["=", "c", "d"]]),
        ("a ? b = 1 : c ? d : e = f", ["?:", "a", ["=", "b", 1], ["?:", "c", "d", ["=", "e", "f"]]]),
        ("(a ? b : c) = d", ["=", ["?:", "a", "b", "c"], "d"]),
        ("a = b += c", ["=", "a", ["+=", "b", "c"]]),
        ("a <<= 1, b", [",", ["<<=", "a", 1], "b"]),
        ("-1", ["-", 1]),
        ("a - -1", ["-", "a", ["-", 1]]),
        ("a-1", ["-", "a", 1]),
        ("(a)-1", ["-", "a", 1]),
        ("a[0]+1", ["+", ["[]", "a", 0], 1]),
        ("-i++", ["-", ["_++", "i"]]),
        ("!~-i--", ["!", ["~", ["-", ["_--", "i"]]]]),
        ("(-i)[a]", ["[]", ["-", "i"], "a"]),
        ("!~-+a", ["!", ["~", ["-", ["+", "a"]]]]),
        ("*p = &q", ["=", ["*", "p"], ["&", "q"]]),
        ("*p++", ["*", ["_++", "p"]]),
        ("++*p", ["++_", ["*", "p"]]),
        ("--i + i--", ["+", ["--_", "i"], ["_--", "i"]]),
        ("s[i][j + 1]", ["[]", ["[]", "s", "i"], ["+", "j", 1]]),
        ("s[i, j + 1]", ["[]", "s", [",", "i", ["+", "j", 1]]]),
        ("threadIdx.x", [".", "threadIdx", "x"]),
        ("p->x", [".", ["*", "p"], "x"]),
        ("__syncthreads()", ["__syncthreads()"]),
        ("min(a, (b, c))", ["min()", "a", [",", "b", "c"]]),
        ("(f)(x)", ["f()", "x"]),
        ("::min(a, std::max(b, c))", ["min()", "a", ["max()", "b", "c"]]),
        ("(float)a / 2", ["/", ["cast", "float", "a"], 2]),
        ("(a) - b", ["-", "a", "b"]),
        ("(a) * b", ["*", "a", "b"]),
        ("(a) & b", ["&", "a", "b"]),
        ("int(a)", ["cast", "int", "a"]),
        ("unsigned(a)", ["cast", "unsigned int", "a"]),
        ("static_cast<float>(a)", ["cast", "float", "a"]),
        ("reinterpret_cast<const float *>(a)", ["cast", "const float *", "a"]),
        ("(float (*)[4])a", ["cast", "float[4] *", "a"]),
        ("sizeof(float)", ["sizeof", "float"]),
        ("sizeof(float[4])", ["sizeof", "float[4]"]),
        ("sizeof a", ["sizeof", "a"]),
        ("sizeof(a)", ["sizeof", "a"]),
        ("'a' + '\\n' + '\\0' + '\\xff'", ["+", ["+", ["+", ["char", 97], ["char", 10]], ["char", 0]], ["char", -1]]),
        ("true != false", ["!=", ["bool", 1], ["bool", 0]]),
        ("p == nullptr", ["==", "p", 0]),
        ('f("a\\t" "b\\x41\\101\\"", "")', ["f()", ["string", 'a\tbAA"'], ["string", ""]]),
        ('f("é")', ["f()", ["string", "é"]]),
        ("(x * (y * t)) + t", ["+", ["*", "x", ["*", "y", "t"]], "t"]),
        ("(x * y) + (t)", ["+", ["*", "x", "y"], "t"]),
        ("(a = 1, b)", [",", ["=", "a", 1], "b"]),
        ("-p++[1]", ["-", ["[]", ["_++", "p"], 1]]),
        ("(int)(float)-a", ["cast", "int", ["cast", "float", ["-", "a"]]]),
        ("(int(a)) + 1", ["+", ["cast", "int", "a"], 1]),
        ("float(a) * unsigned(b)", ["*", ["cast", "float", "a"], ["cast", "unsigned int", "b"]]),
        ("float()", ["cast", "float", 0]),
        ("sizeof(int(a))", ["sizeof", ["cast", "int", "a"]]),
        ("sizeof(float4) + alignof(float4)", ["+", ["sizeof", "float4"], ["unsigned long long", 16]]),
        ("make_float4(a, b, 0, 0).w", [".", ["make_float4()", "a", "b", 0, 0], "w"]),
        ("v.dot(w)->x", [".", ["*", [".dot()", "v", "w"]], "x"]),
        ("p->f(1)", [".f()", ["*", "p"], 1]),
        ("reinterpret_cast<float4 &>(a[0]).x", [".", ["*", ["cast", "float4 *", ["&", ["[]", "a", 0]]]], "x"]),
        ("*reinterpret_cast<const int *>(&f)", ["*", ["cast", "const int *", ["&", "f"]]]),
        ("*(float4 *)&a[0]", ["*", ["cast", "float4 *", ["&", ["[]", "a", 0]]]]),
        ("std::is_same<int, signed>::value && is_integral_v<float>", ["&&", ["bool", 1], ["bool", 0]]),
        ("std::numeric_limits<short>::min() + numeric_limits<int>::max()", ["+", ["short", -32768], 2147483647]),
        ("this->x + (*this).y", ["+", [".", "this", "x"], [".", "this", "y"]]),
        ("a ? b, c : d", ["?:", "a", [",", "b", "c"], "d"]),
    ],
)
def test_shape(text: str, expected: Any) -> None:
    assert shape(parse_expression(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # each of these is a template call to a grammar that knows no names
        ("i < n && j > (k)", ["&&", ["<", "i", "n"], [">", "j", "k"]]),
        ("i < n || j > (k + 1)", ["||", ["<", "i", "n"], [">", "j", ["+", "k", 1]]]),
        ("f(a < b, c > (d))", ["f()", ["<", "a", "b"], [">", "c", "d"]]),
        ("a < b > (c)", [">", ["<", "a", "b"], "c"]),
    ],
)
def test_comparisons_are_no_template_calls(text: str, expected: Any) -> None:
    assert shape(parse_expression(text)) == expected
    assert body(f"if ({text}) n = 1;") == [["if", expected, ["=", "n", 1], None]]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("0", 0, "int"),
        ("017", 15, "int"),
        ("0x1F", 31, "int"),
        ("0b101", 5, "int"),
        ("1'000'000", 1_000_000, "int"),
        ("2147483647", 2**31 - 1, "int"),
        ("2147483648", 2**31, "long long"),
        ("0xffffffff", 2**32 - 1, "unsigned int"),
        ("0x100000000", 2**32, "long long"),
        ("0xffffffffffffffff", 2**64 - 1, "unsigned long long"),
        ("1u", 1, "unsigned int"),
        ("4294967296U", 2**32, "unsigned long long"),
        ("1l", 1, "long long"),
        ("1LLU", 1, "unsigned long long"),
        ("1ull", 1, "unsigned long long"),
        ("1.", 1.0, "double"),
        (".5", 0.5, "double"),
        ("1e-3", 1e-3, "double"),
        ("1.5f", 1.5, "float"),
        ("1.F", 1.0, "float"),
        ("0.1f", 0.10000000149011612, "float"),
        ("1e10f", 1e10, "float"),
        ("0x1p-3", 0.125, "double"),
        ("0x1.8p1f", 3.0, "float"),
    ],
)
def test_number(text: str, value: float, kind: str) -> None:
    number = parse_expression(text)
    assert isinstance(number, ast.Number)
    assert (number.value, number.type.name, type(number.value)) == (value, kind, type(value))


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "an expression is missing"),
        ("a +", 4, "expected a value after 'a +'"),
        ("a[]", 1, "an index is missing"),
        ("a b", 3, "near 'b'"),
        ("(a", 1, "this '(' is never closed"),
        ("a)", 2, "this ')' closes nothing"),
        ("a]", 2, "this ']' closes nothing"),
        ("f(a]", 4, "']' does not match the '(' of 1:2"),
        ("a; b", 2, "';' in an expression"),
        ("return a", 1, "near 'return'"),
        ("int a", 1, "near 'int'"),
        ("a @ b", 3, "'@' has no meaning"),
        ("08", 1, "'08' is not a number"),
        ("99999999999999999999", 1, "does not fit into 64 bits"),
        ("'ab'", 1, "not supported: character 'ab'"),
        ('"\\q"', 1, "unknown escape '\\q'"),
        ('L"a"', 1, "not supported: prefix"),
        ("[] { return 1; }", 4, "'{' in an expression"),
        ("a <=> b", 3, "not supported: operator <=>"),
        ("f<<<1, 2>>>(a)", 1, "not supported: launch with <<< >>>"),
        ("a ? b", 6, "expected ':' after 'a ? b'"),
        ("1_km", 1, "not supported: literal '1_km'"),
        ("thrust::sort(a, b)", 1, "not supported: namespace thrust"),
        ("(float5)a", 9, "near 'a'"),
        ("int(a, b)", 1, "takes one value, 2 are given"),
    ],
)
def test_refused(text: str, column: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_expression(text)
    assert (caught.value.file, caught.value.line, caught.value.column) == ("<expression>", 1, column)
    assert words in caught.value.reason


def test_an_expression_is_parsed_once() -> None:
    assert parse_expression("(N + 15) / 16") is parse_expression("(N + 15) / 16")
