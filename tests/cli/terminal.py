"""A small model of a terminal, and a program that runs on one: what a person would see, read back as lines."""

import errno
import fcntl
import os
import re
import signal
import struct
import subprocess
import termios

import pytest

TOKEN = re.compile(r"\x1b\[([\d;]*)([A-Za-z])|(\r)|(\n)|(\x1b)|([^\x1b\r\n]+)")


class Screen:
    """Lines of text as escape sequences leave them: carriage return, new line, cursor up, erase to the end of the line or
    of the screen, colours. Text that reaches the last column wraps. Anything else is an error."""

    def __init__(self, columns=80):
        self.columns, self.lines, self.row, self.column = columns, [""], 0, 0

    def feed(self, text):
        for number, order, home, line, lost, plain in TOKEN.findall(text):
            assert not lost, f"an escape sequence that is not known: {text!r}"
            if home:
                self.column = 0
            elif line:
                self._down()
            elif plain:
                for letter in plain:
                    self._put(letter)
            elif order == "A":
                self.row -= int(number or 1)
                assert self.row >= 0, "the cursor left the screen"
            elif order in "KJ":
                self.lines[self.row] = self.lines[self.row][: self.column]
                if order == "J":
                    del self.lines[self.row + 1:]
            else:
                assert order == "m", f"unknown: {order}"

    def _down(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def _put(self, letter):
        if self.column == self.columns:
            self._down()
            self.column = 0
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[: self.column] + letter + line[self.column + 1:]
        self.column += 1

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip("\n")


class Seen:
    """What a program wrote on its terminal: the bytes, the screen after each piece, and the screen in the end."""

    def __init__(self, raw, frames, screen, code, stdout):
        self.raw, self.frames, self.text, self.code, self.stdout = raw, frames, screen.text(), code, stdout


def terminal_pair():
    try:
        return os.openpty()
    except OSError as trouble:
        pytest.skip(f"no pseudo-terminal here: {trouble}")


def on_terminal(mercer, program, *arguments, columns=80, interrupt_when=None, **environment):
    """Runs the program with its standard error on a terminal. `interrupt_when` is asked after each piece of output; once
    it is true the program gets Ctrl-C."""
    ours, theirs = terminal_pair()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items()
                 if not name.startswith("MERCER_") and name not in ("NO_COLOR", "TERM")}
    variables.update({"TERM": "xterm", **environment})
    child = subprocess.Popen([program, *map(str, arguments)], cwd=mercer.folder, env=variables, stdout=subprocess.PIPE,
                             stderr=theirs)
    os.close(theirs)
    raw, frames, screen = "", [], Screen(columns)
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError as trouble:  # the other end is closed
            assert trouble.errno == errno.EIO
            break
        if not piece:
            break
        # A piece may end within an escape sequence; the program writes whole ones, so the rest follows at once.
        while piece.rpartition(b"\x1b")[1] and not re.match(rb"\[[\d;]*[A-Za-z]", piece.rpartition(b"\x1b")[2]):
            piece += os.read(ours, 1)
        raw += piece.decode()
        screen.feed(piece.decode())
        frames.append(screen.text())
        if interrupt_when and interrupt_when():
            child.send_signal(signal.SIGINT)
            interrupt_when = None
    os.close(ours)
    stdout = child.communicate(timeout=60)[0].decode()
    return Seen(raw, frames, screen, child.returncode, stdout)
