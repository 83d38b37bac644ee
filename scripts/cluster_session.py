#!/usr/bin/env python3
"""Go the whole way from a trace on a cluster to a window of its events.

    scripts/cluster_session.py [--check]

Every command of the section "A session" of ``docs/guides/digest.md`` is run: a
scheduler and two workers are started on this machine, a sample trace is condensed by
them, results are asked of the digest, and a window of the trace is fetched. What they
print is written to the page; with ``--check`` the exit status is 1 if the page says
anything else. Sizes of files are not compared: these hold how long something took.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guides" / "digest.md"
TRACE = ROOT / "resources" / "demo" / "transpose.tar.xz"
BEGIN, END = "<!-- session -->\n", "<!-- end of session -->\n"
PORT = "8786"
MAX_LINES = 4
"""Lines that are shown of an answer."""

PATIENCE = 900.0
"""Seconds after which a command is taken to hang."""

CLUSTER = (
    "dask scheduler --port 8786",
    "dask worker tcp://127.0.0.1:8786 --nworkers 2 --nthreads 1 --memory-limit 2GB",
)
SESSION = (
    "topoview digest run/traces.otf2 -o run.topoview --scheduler tcp://127.0.0.1:8786",
    "topoview identify run.topoview",
    "topoview waits run.topoview --read-from 2.2 --read-to 2.25",
    "topoview fetch run.topoview --from 2.2 --to 2.25 -o window.topoview "
    "--scheduler tcp://127.0.0.1:8786",
    "topoview waits window.topoview",
)
"""What is typed while the cluster runs; one needs events, and says so."""


def session() -> str:
    """Run all commands in a folder of their own; gives the section's text."""
    with tempfile.TemporaryDirectory(prefix="topoview-") as name:
        folder = Path(name)
        shutil.unpack_archive(TRACE, folder / "unpacked")
        anchor = next((folder / "unpacked").rglob("*.otf2"))
        anchor.parent.rename(folder / "run")
        port = free_port()
        environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
        running = [
            subprocess.Popen(
                words(command, port),
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for command in CLUSTER
        ]
        try:
            wait_for(port)
            told = [f"$ {command} &\n" for command in CLUSTER]
            for command in SESSION:
                done = subprocess.run(
                    words(command, port),
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE,
                    check=False,
                )
                said = (done.stdout + done.stderr).replace(f"{folder}/", "")
                lines = said.splitlines(keepends=True)
                more = ["...\n"] * (len(lines) > MAX_LINES)
                told += [f"$ {command}\n", *lines[:MAX_LINES], *more]
        finally:
            for process in reversed(running):
                process.send_signal(signal.SIGINT)
            for process in running:
                process.wait(PATIENCE)
    return "```\n" + "".join(told).replace(f":{port}", f":{PORT}") + "```\n"


def words(command: str, port: str) -> list[str]:
    """Make the words of a command, by the programs beside this Python."""
    program, *rest = command.replace(PORT, port).split()
    if program == "topoview":
        return [sys.executable, "-P", "-m", "topoview", *rest]
    extra = ["--no-dashboard"]  # another one may have its port
    return [str(Path(sys.executable).with_name(program)), *rest, *extra]


def free_port() -> str:
    """Find a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def wait_for(port: str) -> None:
    """Wait until the scheduler listens: workers and clients wait for each other."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", int(port))) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"no scheduler at port {port}")


def without_sizes(text: str) -> str:
    """Leave out what differs from run to run."""
    return re.sub(r"\d[\d.]* (B|KiB|MiB)", "SIZE", text)


def main() -> int:
    """Write the section, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    told = session()
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    whole = before + BEGIN + told + END + after
    if args.check:
        same = without_sizes(whole) == without_sizes(page)
        if not same:
            print(whole.partition(BEGIN)[2].partition(END)[0])
        return int(not same)
    PAGE.write_text(whole, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
