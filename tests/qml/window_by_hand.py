#!/usr/bin/env python3
"""Uses the window as a person would, with real key presses on a separate virtual display.

  window_by_hand.py MINERVA [--longest-frame MS]

Types a prompt and waits for the reply, stops another reply, searches, renames and deletes conversations. Checks the database,
that no frame was late while text streamed, and that QML printed no warnings. Skipped without Xvfb or xdotool.
"""
import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PATIENCE = 60


class Window:
    def __init__(self, program, folder):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24"], pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            display = ":" + pipe.readline().strip()
        self.environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self.folder = folder
        self.said = open(os.path.join(folder, "said.txt"), "w")
        self.program = subprocess.Popen(
            [program, "--data-dir", folder, "--device", "cpu", "--frame-log", os.path.join(folder, "frames.json")],
            env=self.environment, stdout=self.said, stderr=subprocess.STDOUT)
        self.id = wait("the window", self.find)
        self.do("windowfocus", self.id)

    def find(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(self.program.pid)],
                               env=self.environment, capture_output=True, text=True)
        return found.stdout.split()[-1] if found.stdout.split() else None

    def do(self, *arguments):
        subprocess.run(["xdotool", *arguments], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def key(self, *keys):
        self.do("key", "--delay", "80", *keys)
        time.sleep(0.4)

    def type(self, text):
        self.do("type", "--delay", "20", text)
        time.sleep(0.4)

    def rows(self, sql):
        try:
            database = sqlite3.connect(f"file:{self.folder}/conversations.sqlite?mode=ro", uri=True)
            try:
                return database.execute(sql).fetchall()
            finally:
                database.close()
        except sqlite3.OperationalError:
            return []

    def written(self):
        with open(self.said.name) as file:
            return file.read()

    def close(self):
        self.key("ctrl+q")
        return self.program.wait(timeout=20)

    def end(self):
        for process in (self.program, self.server):
            if process.poll() is None:
                process.kill()
            process.wait()


def wait(what, test, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        result = test()
        if result:
            return result
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds} s for {what}")


def statuses(window):
    return [row[0] for row in window.rows("SELECT status FROM messages WHERE author = 'assistant' ORDER BY id")]


def titles(window):
    return [row[0] for row in window.rows("SELECT title FROM conversations WHERE deleted = 0 ORDER BY id")]


def chat(window):
    wait("the built-in model", lambda: "] loaded " in window.written())  # a message sent before would be ignored
    window.type("Tell me a story about a fox")
    window.key("shift+Return")
    window.type("and a bear")
    assert statuses(window) == [], "Shift+Enter sent the message"
    window.key("Return")
    wait("the reply's end", lambda: statuses(window) == ["complete"])
    asked = window.rows("SELECT text FROM messages WHERE author = 'user'")[0][0]
    assert asked == "Tell me a story about a fox\nand a bear", repr(asked)
    text = window.rows("SELECT text FROM messages WHERE author = 'assistant'")[0][0]
    assert len(text) > 20, repr(text)

    window.key("ctrl+n")
    window.type("Tell me a story about a bird")
    window.do("key", "Return")
    time.sleep(0.15)
    window.do("key", "Escape")
    wait("the second reply's end", lambda: len(statuses(window)) == 2 and statuses(window)[1] in ("stopped", "complete"))


def conversations(window):
    before = titles(window)
    assert len(before) == 2, before
    window.key("ctrl+f")
    window.type("bird")
    window.key("Down", "F2")
    window.key("ctrl+a")
    window.type("A better title")
    window.key("Return")
    wait("the new title", lambda: titles(window)[1] == "A better title")
    window.key("ctrl+f", "Escape", "ctrl+f", "Down", "Delete")
    wait("the deletion", lambda: len(titles(window)) == 1)


def panels(window):
    for keys in (["F9", "F9", "F10", "F10"], ["ctrl+m", "Escape"], ["ctrl+2"], ["ctrl+comma"], ["ctrl+1"], ["ctrl+l"]):
        window.key(*keys)
    for width, height in ((1000, 700), (800, 700), (480, 560), (1280, 800)):
        window.do("windowsize", window.id, str(width), str(height))
        time.sleep(0.5)


def check_log(folder, longest):
    with open(os.path.join(folder, "frames.json")) as file:
        log = json.load(file)
    print(f"{log['streaming_frames']} frames while streaming, longest {log['longest_ms']:.1f} ms, p99 {log['p99_ms']:.1f} ms")
    assert log["streaming_frames"] > 2
    assert log["longest_ms"] < longest, f"a frame took {log['longest_ms']:.0f} ms, expected less than {longest} ms"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minerva")
    parser.add_argument("--longest-frame", type=float, default=50)
    options = parser.parse_args()
    for tool in ("Xvfb", "xdotool"):
        if shutil.which(tool) is None:
            print(f"skipped: no {tool} on this machine")
            return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        window = Window(options.minerva, folder)
        try:
            chat(window)
            conversations(window)
            panels(window)
            assert window.close() == 0, "the window did not close well"
        finally:
            window.end()
            said = window.written()
            print(said)
        check_log(folder, options.longest_frame)
        complaints = [line for line in said.splitlines() if "qrc:/" in line or "QML" in line]
        assert not complaints, complaints
    return 0


if __name__ == "__main__":
    sys.exit(main())
