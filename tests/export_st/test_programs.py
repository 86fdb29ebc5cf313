"""The interpreter on programs written by hand, with results that are known without it."""

import math

import numpy
import pytest

import st


def machine(text):
    return st.Instance(st.load(text))


def value_of(expression, type="DINT", **variables):
    """One expression; variables by name as 'TYPE := value'."""
    declared = "".join(f"{name} : {what};" for name, what in variables.items())
    return machine(f"FUNCTION_BLOCK b VAR {declared} END_VAR VAR_OUTPUT result : {type}; END_VAR "
                   f"result := {expression}; END_FUNCTION_BLOCK").call()["RESULT"]


PID = """
(* A controller with its sum held back at the limits. *)
FUNCTION_BLOCK pid
VAR_INPUT
  setpoint, measured : REAL;
  reset : BOOL;
END_VAR
VAR_OUTPUT output : REAL; END_VAR
VAR CONSTANT kp : REAL := 2.0; ki : REAL := 0.5; kd : REAL := 0.25; cycle : REAL := 0.5; END_VAR
VAR sum, last, error : REAL; END_VAR
IF Reset THEN
  sum := 0.0; last := 0.0; output := 0.0;
  RETURN;
END_IF;
error := setpoint - measured;
sum := LIMIT(-4.0, sum + error * cycle, 4.0);
output := LIMIT(-10.0, kp * error + ki * sum + kd * (error - last) / cycle, 10.0);
last := error;
END_FUNCTION_BLOCK
"""


def test_a_pid_controller():
    pid = machine(PID)
    # By hand: error 1, sum 0.5, slope 2: 2 + 0.25 + 0.5; then error 0.5, sum 0.75, slope -1: 1 + 0.375 - 0.25.
    assert pid.call(setpoint=1, measured=0)["OUTPUT"] == 2.75
    assert pid.call(measured=0.5)["OUTPUT"] == 1.125
    for _ in range(20):
        saturated = pid.call(setpoint=100, measured=0)["OUTPUT"]
    assert saturated == 10 and pid.memory["SUM"] == 4
    assert pid.call(reset=True)["OUTPUT"] == 0
    assert pid.call(reset=False, setpoint=1, measured=0)["OUTPUT"] == 2.75


DEBOUNCE = """
FUNCTION_BLOCK debounce
VAR_INPUT raw : BOOL; END_VAR
VAR_OUTPUT stable : BOOL; presses : UINT; END_VAR
VAR same : USINT; before : BOOL; END_VAR
VAR CONSTANT needed : USINT := 3; END_VAR
IF raw = before THEN
  IF same < needed THEN same := same + 1; END_IF;
ELSE
  same := 1; before := raw;
END_IF;
IF (same >= needed) AND (stable <> raw) THEN
  stable := raw;
  IF stable THEN presses := presses + 1; END_IF;
END_IF;
END_FUNCTION_BLOCK
"""


def test_a_debounced_counter():
    block = machine(DEBOUNCE)
    signal = [0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1]
    said = [block.call(raw=one) for one in signal]
    assert [int(one["STABLE"]) for one in said] == [0] * 5 + [1] * 6 + [0] * 4 + [1]
    assert said[-1]["PRESSES"] == 2


SORT = """
FUNCTION_BLOCK bubble_sort
VAR_INPUT values : ARRAY[1..8] OF INT; END_VAR
VAR_OUTPUT sorted : ARRAY[1..8] OF INT; swaps : INT; END_VAR
VAR i, last : DINT; keep : INT; again : BOOL; END_VAR
sorted := values;
swaps := 0;
last := 7;
REPEAT
  again := FALSE;
  FOR i := 1 TO last DO
    IF sorted[i] > sorted[i + 1] THEN
      keep := sorted[i]; sorted[i] := sorted[i + 1]; sorted[i + 1] := keep;
      swaps := swaps + 1;
      again := TRUE;
    END_IF;
  END_FOR;
  last := last - 1;
UNTIL NOT again END_REPEAT;
END_FUNCTION_BLOCK
"""


@pytest.mark.parametrize("values", [[5, -3, 8, 0, 0, 7, -32768, 1], list(range(8)), list(range(8, 0, -1))])
def test_a_bubble_sort(values):
    said = machine(SORT).call(values=values)
    assert said["SORTED"] == sorted(values)
    assert said["SWAPS"] == sum(a > b for i, a in enumerate(values) for b in values[i + 1:])  # inversions


@pytest.mark.parametrize("expression, result", [
    ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("10 - 4 - 3", 3), ("100 / 10 / 5", 2), ("2 * 7 MOD 4", 2),
    ("7 / 2", 3), ("-7 / 2", -3), ("7 / -2", -3), ("-7 / -2", 3),
    ("7 MOD 3", 1), ("-7 MOD 3", -1), ("7 MOD -3", 1), ("-7 MOD -3", -1), ("a MOD 0", 0),
    ("-a + 10", 3), ("16#1F + 2#101 + 8#17 + 1_000", 31 + 5 + 15 + 1000),
    ("ABS(-a)", 7), ("MIN(3, a, 5)", 3), ("MAX(3, a, 5)", 7), ("LIMIT(0, a, 5)", 5), ("LIMIT(0, -a, 5)", 0),
    ("SEL(a > 6, 1, 2)", 2), ("SEL(a > 7, 1, 2)", 1),
    ("TRUNC(2.9)", 2), ("TRUNC(-2.9)", -2), ("REAL_TO_DINT(2.5)", 2), ("REAL_TO_DINT(3.5)", 4), ("REAL_TO_DINT(-2.6)", -3),
    ("BOOL_TO_DINT(TRUE)", 1), ("INT_TO_DINT(INT#-32768)", -32768), ("-2147483648", -2147483648),
])
def test_whole_numbers(expression, result):
    assert value_of(expression, a="DINT := 7") == result


@pytest.mark.parametrize("expression, result", [
    ("TRUE OR TRUE AND FALSE", True), ("(TRUE OR TRUE) AND FALSE", False), ("TRUE XOR TRUE AND FALSE", True),
    ("FALSE AND TRUE OR TRUE", True), ("TRUE OR TRUE XOR TRUE", True), ("(TRUE OR TRUE) XOR TRUE", False),
    ("NOT FALSE AND FALSE", False), ("NOT (FALSE AND FALSE)", True), ("TRUE & FALSE", False),
    ("1 + 1 < 3 AND 2 * 2 = 4", True), ("3 > 2 = TRUE", True), ("1 < 2 <> (2 < 1)", True),
    ("NOT (a <> a)", True), ("true", True), ("BOOL#FALSE", False),
])
def test_logic_binds_less_than_comparison(expression, result):
    assert value_of(expression, "BOOL", a="REAL := 1.5") is result


@pytest.mark.parametrize("expression, result", [
    ("2.0 ** 3", 8.0), ("-x ** 2", 4.0), ("x * x ** 3", 16.0), ("x ** 2 ** 3", 64.0), ("SQRT(x)", numpy.sqrt(numpy.float32(2))),
    ("EXP(0.0) + COS(0.0) - SIN(0.0)", 2.0), ("INT_TO_REAL(7) / x", 3.5), ("1.0E-3 * 1_000.0", numpy.float32(1e-3) * numpy.float32(1000)),
    ("LN(EXP(x))", numpy.log(numpy.exp(numpy.float32(2)))), ("LREAL_TO_REAL(y)", numpy.float32(0.1)), ("REAL#-0.5 + x", 1.5),
])
def test_real_numbers(expression, result):
    got = value_of(expression, "REAL", x="REAL := 2.0", y="LREAL := 0.1")
    assert isinstance(got, numpy.float32) and got == numpy.float32(result)


def test_real_is_single_precision_at_every_operation():
    sum_of_ten = "0.1 + " * 9 + "0.1"
    once = value_of(sum_of_ten.replace("0.1", "x"), "REAL", x="REAL := 0.1")
    long = value_of(sum_of_ten.replace("0.1", "x"), "LREAL", x="LREAL := 0.1")
    assert once == numpy.cumsum(numpy.full(10, 0.1, numpy.float32))[-1] and float(once) != 1.0
    assert long == math.fsum([0.1] * 10) - 2**-53
    assert value_of("x + 1.0", "REAL", x="REAL := 16777216.0") == 16777216


LOOPS = """
FUNCTION_BLOCK loops
VAR_INPUT wanted, start : INT; END_VAR
VAR_OUTPUT found, outer, down, odd, sum, powers, kind : INT; END_VAR
VAR i, j, place : INT; grid : ARRAY[-1..1, 0..3] OF INT := [4(1), 10, 20, 2(30), 7]; END_VAR
found := -1; outer := 0; down := 0; odd := 0; sum := 0; powers := 1;
FOR i := -1 TO 1 DO
  FOR j := 0 TO 3 DO
    IF grid[i, j] = wanted THEN found := 4 * (i + 1) + j; EXIT; END_IF;   // leaves the inner loop alone
  END_FOR;
  outer := outer + 1;
END_FOR;
FOR i := 10 TO 1 BY -3 DO down := down * 10 + i MOD 10; END_FOR;
FOR i := 1 TO 0 DO odd := 99; END_FOR;
i := 0;
WHILE TRUE DO
  i := i + 1;
  IF i > 100 THEN EXIT; END_IF;
  IF i MOD 2 = 1 THEN odd := odd + 1; END_IF;
END_WHILE;
place := start;
REPEAT powers := powers * 2; place := place - 1; UNTIL place <= 0 END_REPEAT;
CASE start OF
  0: kind := 1;
  1, 2: kind := 2;
  -5..-1, 7: kind := 3; sum := 1;
ELSE
  kind := 4;
END_CASE;
END_FUNCTION_BLOCK
"""


def test_loops_and_choices():
    block = machine(LOOPS)
    said = block.call(wanted=30, start=3)
    assert said == {"FOUND": 6, "OUTER": 3, "DOWN": 741, "ODD": 50, "POWERS": 8, "SUM": 0, "KIND": 4}
    assert block.call(wanted=7, start=-3)["FOUND"] == 8
    assert [block.call(start=start)["KIND"] for start in (0, 1, 2, -5, -1, 7, 8)] == [1, 2, 2, 3, 3, 3, 4]
    assert block.call(wanted=77)["FOUND"] == -1
    assert block.memory["GRID"] == [1, 1, 1, 1, 10, 20, 30, 30, 7, 0, 0, 0]


def test_names_have_no_case_and_comments_are_skipped():
    text = """FUNCTION_BLOCK Mixed // one
    VAR_INPUT Speed : INT; END_VAR (* two
    lines * ( *) VAR_OUTPUT OUT1 : INT; END_VAR
    out1 := SPEED + speed;;
    End_Function_Block"""
    assert machine(text).call(sPeEd=4) == {"OUT1": 8}


@pytest.mark.parametrize("statements, message", [
    ("a := a + 32767;", "no INT"), ("a := 1 / (a - 1);", "division by zero"), ("b[a + 3] := 1;", "outside 0..3"),
    ("x := EXP(x + 100.0);", "REAL that is inf"), ("x := x / (x - x);", "REAL that is inf"), ("a := REAL_TO_INT(x * 1.0E9);", "no INT"),
    ("s := INT_TO_SINT(a + 200);", "no SINT"), ("FOR a := 0 TO 3 DO END_FOR; s := INT_TO_SINT(a);", "its value is open"),
    ("FOR a := 0 TO 3 BY s DO END_FOR;", "steps by 0"),
])
def test_what_goes_wrong_while_running(statements, message):
    statements = statements.replace("BY s", "BY a - 1")
    block = machine("FUNCTION_BLOCK f VAR a : INT := 1; s : SINT; x : REAL := 1.0; b : ARRAY[0..3] OF INT; END_VAR "
                    f"{statements} END_FUNCTION_BLOCK")
    with pytest.raises(st.StError, match=message):
        block.call()
