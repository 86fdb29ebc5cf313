"""Programs that the interpreter must not take."""

import pytest

import st

# name: declarations beside those of FRAME, statements, what the refusal says
FRAME = """FUNCTION_BLOCK f
VAR_INPUT given : REAL; END_VAR
VAR_OUTPUT result : REAL; END_VAR
VAR CONSTANT fixed : REAL := 1.0; table : ARRAY[0..2] OF REAL := [1.0, 2.0, 3.0]; END_VAR
VAR a, b : INT; d : DINT; u : UINT; x, y : REAL; l : LREAL; t : BOOL; list : ARRAY[1..4] OF INT; %s END_VAR
%s
END_FUNCTION_BLOCK
"""

STATEMENTS = {
    "undeclared": ("x := speed;", "SPEED is not declared"),
    "undeclared target": ("speed := x;", "SPEED is not declared"),
    "undeclared counter": ("FOR i := 0 TO 1 DO END_FOR;", "I is not declared"),
    "undeclared array": ("x := tabel[1];", "TABEL is not declared"),
    "unknown function": ("x := TANH(x);", "TANH is not declared|expected"),
    "INT to REAL": ("x := a;", "REAL expected, not INT"),
    "REAL to INT": ("a := x;", "INT expected, not REAL"),
    "whole literal to REAL": ("x := 1;", "REAL expected, not a whole number"),
    "real literal to INT": ("a := 1.0;", "INT expected, not a real number"),
    "INT to DINT": ("d := a;", "DINT expected, not INT"),
    "DINT to INT": ("a := d;", "INT expected, not DINT"),
    "UINT to INT": ("a := u;", "INT expected, not UINT"),
    "REAL to LREAL": ("l := x;", "LREAL expected, not REAL"),
    "BOOL to INT": ("a := t;", "INT expected, not BOOL"),
    "mixed sum": ("x := x + a;", "do not go together"),
    "mixed literals": ("x := 1 + 2.0;", "do not go together"),
    "whole literal in a real sum": ("x := x + 1;", "REAL expected, not a whole number"),
    "mixed comparison": ("t := a < d;", "do not go together"),
    "mixed MIN": ("a := MIN(a, d);", "do not go together"),
    "number as condition": ("IF a THEN x := 1.0; END_IF;", "BOOL expected, not INT"),
    "logic of numbers": ("a := a AND b;", "AND is not for INT"),
    "NOT of a number": ("a := NOT a;", "NOT is not for INT"),
    "MOD of reals": ("x := x MOD y;", "MOD is not for REAL"),
    "sum of BOOL": ("t := t + t;", r"\+ is not for BOOL"),
    "order of BOOL": ("t := t < t;", "< is not for BOOL"),
    "power of whole numbers": ("a := a ** 2;", r"\*\* is not for INT"),
    "SQRT of INT": ("a := SQRT(a);", "SQRT is not for INT"),
    "wrong conversion": ("x := INT_TO_REAL(d);", "INT expected, not DINT"),
    "conversion to itself": ("a := INT_TO_INT(a);", "expected|not declared"),
    "too few arguments": ("x := LIMIT(x, y);", "takes 3 arguments"),
    "too many arguments": ("x := SQRT(x, y);", "takes 1 arguments"),
    "literal too large": ("a := 40000;", "40000 is no INT"),
    "negative unsigned": ("u := -1;", "-1 is no UINT"),
    "constant assigned": ("fixed := 2.0;", "FIXED is a constant"),
    "constant table assigned": ("table[0] := 2.0;", "TABLE is a constant"),
    "input assigned": ("given := 2.0;", "GIVEN is an input"),
    "input as counter": ("FOR given := 0 TO 1 DO END_FOR;", "GIVEN is an input"),
    "counter assigned": ("FOR a := 0 TO 3 DO a := a + 1; END_FOR;", "A counts a loop"),
    "counter again": ("FOR a := 0 TO 3 DO FOR a := 0 TO 3 DO END_FOR; END_FOR;", "A counts a loop"),
    "REAL counter": ("FOR x := 0.0 TO 1.0 DO END_FOR;", "whole numbers, not REAL"),
    "counter of another type": ("FOR a := 0 TO d DO END_FOR;", "INT expected, not DINT"),
    "subscript outside": ("a := list[0];", "outside 1..4"),
    "REAL subscript": ("a := list[x];", "whole numbers, not REAL"),
    "two subscripts": ("a := list[1, 2];", "has not 2 subscripts"),
    "subscript of a number": ("a := b[1];", "has not 1 subscripts"),
    "array as number": ("a := list;", "INT expected, not ARRAY"),
    "sum of arrays": ("list := list + list;", "is not for ARRAY"),
    "EXIT outside": ("EXIT;", "EXIT stands in no loop"),
    "CASE of REAL": ("CASE x OF 1: a := 1; END_CASE;", "not REAL"),
    "CASE twice": ("CASE a OF 1..3: b := 1; 2: b := 2; END_CASE;", "selected twice"),
    "no END_IF": ("IF t THEN a := 1;", "END_IF expected"),
    "no END_FOR": ("FOR a := 0 TO 1 DO b := 1;", "END_FOR expected"),
    "no END_WHILE": ("WHILE t DO a := 1;", "END_WHILE expected"),
    "no END_CASE": ("CASE a OF 1: b := 1;", "expected"),
    "no END_REPEAT": ("REPEAT a := 1; UNTIL t;", "END_REPEAT expected"),
    "no THEN": ("IF t a := 1; END_IF;", "THEN expected"),
    "no semicolon": ("a := 1", "; expected"),
    "no semicolon after END_IF": ("IF t THEN a := 1; END_IF a := 2;", "; expected"),
    "= assigns nothing": ("a = 1;", ":= expected"),
    "open bracket": ("x := (x + y;", r"\) expected"),
    "two operators": ("x := x * / y;", "expected"),
    "C's comment": ("/* no */", "expected"),
    "open comment": ("(* a := 1;", "cannot read|expected"),
    "strange letter": ("a := 1 ? 2;", "cannot read"),
    "C's number": ("x := 1.0f;", "is no number"),
    "exponent without a point": ("x := 1E5;", "is no number"),
    "point without digits": ("x := 1.;", "cannot read|expected"),
    "digit of another base": ("a := 2#12;", "digits that base 2 has not"),
    "typed literal too large": ("a := INT#40000;", "40000 is no INT"),
    "typed literal of another kind": ("x := REAL#1;", "is no REAL"),
    "keyword as a variable": ("if := 1;", "expected"),
}

DECLARATIONS = {
    "twice": ("a : INT;", "A is declared twice"),
    "twice in another case": ("GIVEN : INT;", "GIVEN is declared twice"),
    "name of the block": ("f : INT;", "F is declared twice"),
    "keyword": ("step : INT;", "expected"),
    "function": ("limit : REAL;", "expected"),
    "two underlines": ("a__b : INT;", "underlines"),
    "last underline": ("ab_ : INT;", "underlines"),
    "unknown type": ("q : FLOAT;", "expected"),
    "initial value of another type": ("q : INT := 1.0;", "INT expected"),
    "too many values": ("q : ARRAY[0..1] OF INT := [1, 2, 3];", "3 values"),
    "too many repetitions": ("q : ARRAY[0..1] OF INT := [3(1)];", "3 values"),
    "value of another type": ("q : ARRAY[0..1] OF REAL := [1.0, 2];", "REAL expected"),
    "value too large": ("q : ARRAY[0..1] OF SINT := [1, 128];", "128 is no SINT"),
    "falling bounds": ("q : ARRAY[3..1] OF INT;", "rise"),
    "real bounds": ("q : ARRAY[0..1.5] OF INT;", "whole numbers"),
    "no semicolon": ("q : INT", "; expected"),
}


def refused(text, message):
    with pytest.raises(st.StError, match=message):
        st.load(text)


def test_the_frame_itself_is_taken():
    st.load(FRAME % ("q : ARRAY[0..3] OF SINT := [-1, 2(3)];", "x := given * fixed;"))


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(name):
    statements, message = STATEMENTS[name]
    refused(FRAME % ("", statements), message)


@pytest.mark.parametrize("name", DECLARATIONS)
def test_declarations(name):
    declaration, message = DECLARATIONS[name]
    refused(FRAME % (declaration, "x := y;"), message)


def test_what_is_around_the_block():
    whole = FRAME % ("", "x := y;")
    refused(whole.replace("END_FUNCTION_BLOCK", ""), "END_FUNCTION_BLOCK expected")
    refused(whole + "x := y;", "nothing more expected")
    refused(whole.replace("END_VAR\nVAR_OUTPUT", "VAR_OUTPUT"), "END_VAR expected")
    refused(whole.replace(" := 1.0; table", "; table"), "FIXED has no value")
    refused(whole.replace("VAR_INPUT", "VAR_INPUT CONSTANT"), "cannot be constant")
    refused(whole.replace("FUNCTION_BLOCK f", "FUNCTION_BLOCK if"), "expected")
    refused("", "FUNCTION_BLOCK expected")
