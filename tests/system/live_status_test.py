"""The status lines of a run on a terminal predict its end."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(script, columns: int, *arguments: str) -> str:
    """The output of a run on a terminal of that many columns, without its escape codes."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**script.environment, "TERM": "xterm", "NO_COLOR": "1"}
    for variable in ("CI", "GITHUB_ACTIONS", "COLUMNS"):
        environment.pop(variable, None)
    with subprocess.Popen(
        [script.binary, *arguments], cwd=script.directory, env=environment, stdin=other, stdout=other, stderr=other
    ) as child:
        os.close(other)
        output = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            if not part:
                break
            output += part
        assert child.wait() == 0, output.decode()
    os.close(main)
    return ESCAPES.sub("", output.decode()).replace("\r", "")


def test_the_second_run_shows_its_predicted_end(project):
    script = project("script")
    source = script.directory / "make_wheel.py"
    source.write_text("import time\ntime.sleep(1.5)\n" + source.read_text())
    script.commit()
    build = ("build", "matrix.yaml", "--channel", "release", "--jobs", "1")
    first = on_terminal(script, 90, *build)
    assert re.search(r"^\[\d/\d\] 1 running, .*\[[#-]+\] \d+%$", first, re.MULTILINE)
    assert " left" not in first and "critical path" not in first

    source.write_text(source.read_text() + "# changed\n")
    script.commit()
    second = on_terminal(script, 90, *build)
    assert re.search(r"^  critical path: build:\w+$", second, re.MULTILINE)
    ends = re.findall(r"^\[\d/\d\] 1 running, \S+, ~(\S+)s left, ends ~\d\d:\d\d  \[[#-]+\] (\d+)%$", second, re.MULTILINE)
    assert ends
    lines = [line for line in second.splitlines() if line.startswith(("[", "  critical"))]
    assert max(map(len, lines)) < 90
