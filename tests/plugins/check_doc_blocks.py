#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_doc_blocks.py ROOT PAGE...: code blocks of the pages that name a file in a comment above them,

    <!-- plugins/examples/axpy/axpy.cu -->
    ```cpp

must be part of that file, word for word. Fails naming those that are not, and if a page has none.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^<!-- (\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def check(root: pathlib.Path, page: pathlib.Path) -> list[str]:
    blocks = BLOCK.findall(page.read_text())
    problems = [] if blocks else [f"{page}: expected code blocks that name their file, found none"]
    for name, code in blocks:
        if code.rstrip("\n") not in (root / name).read_text():
            problems.append(f"{page}: a block is no longer part of {name}; it begins: {code.splitlines()[0]}")
    return problems


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    problems = [problem for page in sys.argv[2:] for problem in check(root, pathlib.Path(page))]
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
