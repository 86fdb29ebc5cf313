"""Text to tokens. Names and keywords come in capitals: the language does not tell cases apart."""

import re
from typing import NamedTuple

from .errors import StError
from .types import CONVERSIONS, ELEMENTARY, FUNCTIONS

KEYWORDS = frozenset("""
    FUNCTION_BLOCK END_FUNCTION_BLOCK VAR VAR_INPUT VAR_OUTPUT CONSTANT END_VAR ARRAY OF
    IF THEN ELSIF ELSE END_IF CASE END_CASE FOR TO BY DO END_FOR WHILE END_WHILE REPEAT UNTIL END_REPEAT EXIT RETURN
    AND OR XOR NOT MOD TRUE FALSE
""".split())
# Words of the language that this subset does not know: never names.
OTHER = frozenset("""
    ACTION ANY AT BYTE CONFIGURATION CTD CTU CTUD DATE DT DWORD FUNCTION F_EDGE LWORD PROGRAM RESOURCE RETAIN R_EDGE STEP
    STRING STRUCT TASK TIME TOD TOF TON TP TRANSITION TYPE VAR_EXTERNAL VAR_GLOBAL VAR_IN_OUT VAR_TEMP WITH WORD WSTRING
    END_ACTION END_CONFIGURATION END_FUNCTION END_PROGRAM END_RESOURCE END_STEP END_STRUCT END_TRANSITION END_TYPE
    ADD SUB MUL DIV EXPT MOVE MUX SHL SHR ROL ROR GT GE EQ LE LT NE LEN LEFT RIGHT MID CONCAT INSERT DELETE REPLACE FIND
""".split())
RESERVED = KEYWORDS | OTHER | set(ELEMENTARY) | set(FUNCTIONS) | set(CONVERSIONS)

PATTERN = re.compile(r"""
    (?P<space>[ \t\r\n]+ | //[^\n]* | \(\*.*?\*\))
  | (?P<typed>[A-Za-z]+\#(?![0-9A-Fa-f]+\#)(?=[-+0-9TtFf]))
  | (?P<based>(?:2|8|16)\#[0-9A-Fa-f](?:_?[0-9A-Fa-f])*)
  | (?P<real>[0-9](?:_?[0-9])*\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?)
  | (?P<whole>[0-9](?:_?[0-9])*)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<sign>:=|\.\.|\*\*|<=|>=|<>|[-+*/&=<>()\[\],:;])
""", re.VERBOSE | re.DOTALL)


class Token(NamedTuple):
    kind: str  # word (keywords, too), name, typed, real, whole, sign, end
    text: str
    line: int
    value: object = None


def number_of(text, line):
    base, digits = text.split("#")
    try:
        return int(digits.replace("_", ""), int(base))
    except ValueError:
        raise StError(line, f"{text} has digits that base {base} has not") from None


def read(kind, text, line):
    if kind == "based":
        return Token("whole", text, line, number_of(text, line))
    if kind == "whole":
        return Token(kind, text, line, int(text.replace("_", "")))
    if kind == "real":
        return Token(kind, text, line, float(text.replace("_", "")))
    if kind == "typed":
        return Token(kind, text[:-1].upper(), line)
    if kind == "word":
        if "__" in text or text.endswith("_"):
            raise StError(line, f"'{text}' is no name: underlines stand single and between others")
        return Token(kind if text.upper() in RESERVED else "name", text.upper(), line)
    return Token(kind, text, line)


def tokens_of(text):
    tokens, at, line = [], 0, 1
    while at < len(text):
        match = PATTERN.match(text, at)
        if not match:
            raise StError(line, f"cannot read {text[at:at + 10]!r}")
        after = text[match.end():match.end() + 1]
        if match.lastgroup in ("real", "whole", "based") and (after.isalpha() or after == "_"):
            raise StError(line, f"'{match.group() + after}' is no number")
        if match.lastgroup != "space":
            tokens.append(read(match.lastgroup, match.group(), line))
        line += match.group().count("\n")
        at = match.end()
    tokens.append(Token("end", "the end of the text", line))
    return tokens
