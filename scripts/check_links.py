#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that relative links in the tracked .md files lead to a file, and that docs/README.md lists every page of docs/."""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def links_of(page):
    """Targets of a page's links inside the repository, as paths."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    return [page.parent / target for target in LINK.findall(text) if "://" not in target and not target.startswith("mailto:")]


def main():
    tracked = subprocess.run(["git", "ls-files", "-z", "*.md"], check=True, capture_output=True, text=True).stdout
    pages = [pathlib.Path(name) for name in tracked.split("\0") if name]
    problems = [f"{page}: no such file: {target}" for page in pages for target in links_of(page) if not target.exists()]
    listed = {target.resolve() for target in links_of(pathlib.Path("docs/README.md"))}
    problems += [f"docs/README.md: does not list {page}" for page in pages
                 if page.parent == pathlib.Path("docs") and page.name != "README.md" and page.resolve() not in listed]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
