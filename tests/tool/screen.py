# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A terminal for tests: a program runs in a pseudo terminal, and what it writes
# is drawn on a screen of characters, as far as ncurses needs it of a vt100 or an
# xterm. What is not known is an error, so that nothing is drawn wrong in
# silence.

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(r"\x1b(\[([?>=]?)([0-9;]*)([@A-Za-z`])|[()]([0-9A-Z])"
                      r"|([=>78DEHMc])|\](.*?)(\x07|\x1b\\\\))", re.S)
KEYS = {"up": "\x1bOA", "down": "\x1bOB", "right": "\x1bOC", "left": "\x1bOD",
        "home": "\x1bOH", "end": "\x1bOF", "pgup": "\x1b[5~",
        "pgdn": "\x1b[6~", "enter": "\r", "esc": "\x1b"}


class Unknown(Exception):
    pass


class Screen:
    """Characters in lines; `marked` are those in reverse video."""

    def __init__(self, lines, columns):
        self.pending = ""
        self.alternate = False
        self.resize(lines, columns)

    def resize(self, lines, columns):
        self.lines, self.columns = lines, columns
        self.cells = [[" "] * columns for _ in range(lines)]
        self.marked = [[False] * columns for _ in range(lines)]
        self.top, self.bottom = 0, lines - 1
        self.row = self.column = 0
        self.reverse = self.wraps = False
        self.last = " "
        self.saved = (0, 0)

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.cells)

    def line(self, number):
        return "".join(self.cells[number]).rstrip()

    def reversed_text(self, row):
        return "".join(c for c, m in zip(self.cells[row], self.marked[row])
                       if m).strip()

    def feed(self, text):
        self.pending += text
        while self.pending:
            first = self.pending[0]
            if first == "\x1b":
                match = SEQUENCE.match(self.pending)
                if not match:
                    if len(self.pending) > 200:
                        raise Unknown(repr(self.pending[:40]))
                    return
                self.pending = self.pending[match.end():]
                self.obey(match)
                continue
            self.pending = self.pending[1:]
            self.put(first)

    def put(self, character):
        if character == "\r":
            self.column, self.wraps = 0, False
        elif character == "\n":
            self.down()
        elif character == "\b":
            self.column = max(0, self.column - 1)
            self.wraps = False
        elif character == "\t":
            self.column = min(self.columns - 1, (self.column // 8 + 1) * 8)
        elif character in "\x07\x0e\x0f\x00":
            pass
        elif character < " ":
            raise Unknown(repr(character))
        else:
            if self.wraps:
                self.column, self.wraps = 0, False
                self.down()
            self.cells[self.row][self.column] = character
            self.marked[self.row][self.column] = self.reverse
            self.last = character
            self.wraps = self.column == self.columns - 1
            self.column = min(self.columns - 1, self.column + 1)

    def down(self):
        self.wraps = False
        if self.row == self.bottom:
            self.scroll(self.top, 1)
        else:
            self.row = min(self.lines - 1, self.row + 1)

    def scroll(self, first, count):
        """Lines from first to the bottom of the region go up by count."""
        for plane, blank in ((self.cells, " "), (self.marked, False)):
            part = plane[first:self.bottom + 1]
            new = [[blank] * self.columns for _ in range(abs(count))]
            part = part[count:] + new if count > 0 else new + part[:count]
            plane[first:self.bottom + 1] = part[:self.bottom + 1 - first]

    def blank(self, row, first, last):
        for i in range(max(0, first), min(self.columns, last)):
            self.cells[row][i] = " "
            self.marked[row][i] = False

    def shift(self, count):
        for plane, blank in ((self.cells, " "), (self.marked, False)):
            line = plane[self.row]
            rest = line[self.column:]
            gap = [blank] * abs(count)
            rest = gap + rest if count > 0 else rest[-count:] + gap
            plane[self.row] = (line[:self.column] + rest)[:self.columns]

    def obey(self, match):
        if match.group(5) or match.group(7) is not None:
            return
        if match.group(6):
            return self.obey_short(match.group(6))
        private, final = match.group(2), match.group(4)
        numbers = [int(n) if n else 0 for n in match.group(3).split(";")]
        self.wraps = False
        if private:
            if 1049 in numbers:
                self.alternate = final == "h"
            return None
        return self.obey_numbers(final, numbers, max(1, numbers[0]))

    def obey_short(self, letter):
        if letter == "M":
            if self.row == self.top:
                self.scroll(self.top, -1)
            else:
                self.row -= 1
        elif letter == "D":
            self.down()
        elif letter == "7":
            self.saved = (self.row, self.column)
        elif letter == "8":
            self.row, self.column = self.saved
        elif letter not in "=>":
            raise Unknown("ESC " + letter)

    def obey_numbers(self, final, numbers, count):
        if final in "Hf":
            self.row = min(self.lines, count) - 1
            self.column = min(self.columns, max(1, (numbers + [1])[1])) - 1
        elif final == "A":
            self.row = max(0, self.row - count)
        elif final == "B":
            self.row = min(self.lines - 1, self.row + count)
        elif final == "C":
            self.column = min(self.columns - 1, self.column + count)
        elif final == "D":
            self.column = max(0, self.column - count)
        elif final in "G`":
            self.column = min(self.columns, count) - 1
        elif final == "d":
            self.row = min(self.lines, count) - 1
        elif final == "J":
            self.erase(numbers[0])
        elif final == "K":
            first = 0 if numbers[0] else self.column
            last = self.column + 1 if numbers[0] == 1 else self.columns
            self.blank(self.row, first, last)
        elif final == "X":
            self.blank(self.row, self.column, self.column + count)
        elif final == "P":
            self.shift(-count)
        elif final == "@":
            self.shift(count)
        elif final == "L":
            self.scroll(self.row, -count)
        elif final == "M":
            self.scroll(self.row, count)
        elif final == "S":
            self.scroll(self.top, count)
        elif final == "T":
            self.scroll(self.top, -count)
        elif final == "b":
            for _ in range(count):
                self.put(self.last)
        elif final == "r":
            self.top = count - 1
            self.bottom = ((numbers + [0])[1] or self.lines) - 1
            self.row = self.column = 0
        elif final == "m":
            for number in numbers:
                if number in (0, 27):
                    self.reverse = False
                elif number == 7:
                    self.reverse = True
        elif final not in "hlt":
            raise Unknown("ESC [ " + final)

    def erase(self, how):
        for row in range(self.lines):
            if row == self.row:
                self.blank(row, 0 if how else self.column,
                           self.column + 1 if how == 1 else self.columns)
            elif how == 2 or (row > self.row) == (how == 0):
                self.blank(row, 0, self.columns)


class Terminal:
    """A program on such a screen."""

    def __init__(self, words, lines=24, columns=80, environment=None, cwd=None):
        self.screen = Screen(lines, columns)
        self.raw = b""
        self.status = None
        self.pid, self.fd = pty.fork()
        if not self.pid:
            self.set_size(0, lines, columns)
            if cwd:
                os.chdir(cwd)
            os.execvpe(words[0], words, dict(os.environ, **(environment or {})))
        self.decoded = b""

    @staticmethod
    def set_size(fd, lines, columns):
        fcntl.ioctl(fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, lines, columns):
        self.screen.resize(lines, columns)
        self.set_size(self.fd, lines, columns)

    def settings(self):
        return termios.tcgetattr(self.fd)

    def read(self, seconds):
        """Whether the program is still there."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data
        self.decoded += data
        text = self.decoded.decode("utf-8", "ignore")
        whole = text.encode()
        if self.decoded.startswith(whole):
            self.decoded = self.decoded[len(whole):]
            self.screen.feed(text)
        return bool(data)

    def wait(self, what, seconds=60):
        """Until `what` (a text, or a question about the screen) is there."""
        is_there = (lambda screen: what in screen.text()) \
            if isinstance(what, str) else what
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_there(self.screen):
                return self.settle(0.05, 20)  # what is drawn with it
            if not self.read(0.1):
                break
        if is_there(self.screen):
            return self.screen
        raise AssertionError("%r never came:\n%s" % (what, self.screen.text()))

    def settle(self, seconds=0.3, times=100):
        """Until nothing comes any more for a while."""
        for _ in range(times):
            size = len(self.raw)
            if not self.read(seconds) or len(self.raw) == size:
                return self.screen
        return self.screen

    def press(self, *keys):
        for key in keys:
            os.write(self.fd, KEYS.get(key, key).encode())

    def kill(self, number):
        os.kill(self.pid, number)

    def end(self, seconds=60):
        """The exit status, as a shell has it; all that was written is read."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.read(0.1):
            pass
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            while not pid and time.monotonic() < end:
                time.sleep(0.01)
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            if not pid:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise AssertionError("it did not end:\n" + self.screen.text())
            self.status = os.waitstatus_to_exitcode(status)
            os.close(self.fd)
        return self.status
