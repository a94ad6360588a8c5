#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/tutorial.md in an empty folder: writes the files its blocks name and runs its shell blocks.

usage: run_tutorial.py TUTORIAL.md PREFIX    (kerntune installed in PREFIX; the tutorial's own install step is skipped)
"""
import os
import re
import subprocess
import sys
import tempfile


def blocks(text):
    """(language, argument, body) of each fenced block."""
    return [(m[1], m[2].strip(), m[3]) for m in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, re.M | re.S)]


def main(tutorial, prefix):
    ran = 0
    with tempfile.TemporaryDirectory() as home:
        os.symlink(prefix, os.path.join(home, "kerntune"))
        folder = os.path.join(home, "empty")
        os.mkdir(folder)
        env = dict(os.environ, HOME=home, PATH=f"{home}/kerntune/bin:{os.environ['PATH']}")
        for language, argument, body in blocks(open(tutorial, encoding="utf-8").read()):
            if language != "sh":
                with open(os.path.join(folder, argument), "w", encoding="utf-8") as file:
                    file.write(body)
                continue
            if "cmake --install" in body or (argument == "gpu" and not os.path.exists("/dev/nvidiactl")):
                continue
            if re.search(r"\S=~/", body):
                raise SystemExit(f"a shell expands ~ only where a word begins; write $HOME in: {body}")
            print(f"$ {body}", flush=True)
            subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=folder, env=env, check=True)
            ran += 1
        if not os.path.getsize(os.path.join(folder, "my.html")):
            raise SystemExit("the report is empty")
    if ran < 5:
        raise SystemExit(f"only {ran} shell blocks found in {tutorial}")


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]))
