#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which folder includes what: the layers of docs/architecture.md, and the homes of third-party libraries.

usage: check_layers.py [--self-test]

Without --self-test: reads every C and C++ file that git tracks, prints each include that breaks a rule with the rule,
and fails if there is one.
"""
import re
import subprocess
import sys

# Folder -> the parts it may include as <kerntune/PART/...>. The longest folder that matches decides.
LAYERS = {
    "search/expr": {"expr"},
    "search/include/kerntune/expr": {"expr"},
    "search": {"search", "expr"},
    "storage/include/kerntune/query": {"query"},
    "storage": {"storage", "query"},
    "plugins": {"plugin"},
    "core": {"core", "search", "expr", "storage", "query", "plugin"},
    "core/app": {"core", "search", "expr", "storage", "query"},
    "core/launch": {"launch", "query", "expr"},
    "tests": {"core", "search", "expr", "storage", "query", "plugin", "launch"},
    "tests/search": {"search", "expr"},
    "tests/storage": {"storage", "query"},
}

# Header -> the only places that may include it, and why.
HOMES = [
    (r"sqlite3\.h", r"storage/src/|tests/", "SQL stays behind storage's interface"),
    (r"boost/dll", r"core/src/plugin/", "one loader of plugins"),
    (r"boost/", r"core/src/", "an implementation detail of the engine"),
    (r"nlohmann/json_fwd\.hpp", r"(core|tests)/", "JSON is the engine's"),
    (r"nlohmann/", r"(core|tests)/.*\.cpp$", "json.hpp is heavy: in few .cpp files, never in headers"),
    (r"CLI/", r"core/app/", "the command line is the program's"),
    (r"(cuda|nvrtc|cuda_runtime.*)\.h", r"core/(src/cuda|src/cupti|launch)/|.*\.cuh?$|tests/.*\.cpp$", "the driver is loaded at run time, in one place"),
    (r"(cupti|nvperf)\w*\.h$", r"core/src/cupti/", "CUPTI is loaded at run time, in one place"),
    (r"nvml\.h", r"core/src/(cuda|nvml)/", "NVML is loaded at run time, in one place"),
    (r"nvtx3/", r"core/src/nvtx/", "one wrapper of NVTX"),
    (r"(gtest|gmock|benchmark)/", r"tests/", "a test library"),
]

# What public headers may include besides the standard library and ours: their readers need nothing else.
PUBLIC_THIRD_PARTY = re.compile(r"tl/expected\.hpp")

SOURCE = re.compile(r"\.(c|cpp|cu|cuh|h|hpp|inl)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
LITERAL = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)  # kernels' sources inside strings


def layer_of(path):
    folders = [folder for folder in LAYERS if path.startswith(folder + "/")]
    return max(folders, key=len, default=None)


def broken_layer(path, header):
    part = re.match(r"kerntune/(\w+)/", header)
    if not part:
        return None
    layer = layer_of(path)
    if layer is None:
        return "no rule for this folder in check_layers.py"
    if part[1] not in LAYERS[layer]:
        return f"{layer}/ may include {', '.join(sorted(LAYERS[layer]))} only"
    return None


def broken_home(path, header):
    for pattern, home, why in HOMES:
        if re.match(pattern, header):  # the first rule decides
            return None if re.match(home, path) else f"only {home}: {why}"
    return None


def broken_public(path, header):
    own_or_standard = header.startswith("kerntune/") or "/" not in header and not header.endswith(".h")
    c_standard = re.fullmatch(r"std\w+\.h|assert\.h|limits\.h", header)
    is_public = "/include/kerntune/" in path
    if is_public and not own_or_standard and not c_standard and not PUBLIC_THIRD_PARTY.fullmatch(header):
        return "public headers include the standard library and kerntune only"
    return None


def broken_rules(path, text):
    """The rules that a file's includes break, as printable lines."""
    lines = []
    for header in INCLUDE.findall(LITERAL.sub("", text)):
        for rule in (broken_layer, broken_home, broken_public):
            problem = rule(path, header)
            if problem:
                lines.append(f"{path}: includes {header}: {problem}")
    return lines


def tracked_sources():
    files = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    return [path for path in files if SOURCE.search(path)]


def check_tree():
    lines = []
    for path in tracked_sources():
        with open(path, encoding="utf-8") as file:
            lines += broken_rules(path, file.read())
    print("\n".join(lines), end="\n" if lines else "")
    return not lines


# (file, what it includes, whether that is allowed)
EXAMPLES = [
    ("search/expr/run.cpp", "<kerntune/expr/value.hpp>", True),
    ("search/expr/run.cpp", "<kerntune/search/rng.hpp>", False),
    ("search/include/kerntune/expr/value.hpp", "<kerntune/search/rng.hpp>", False),
    ("search/src/rng.cpp", "<kerntune/expr/value.hpp>", True),
    ("search/src/rng.cpp", "<kerntune/storage/records.hpp>", False),
    ("storage/src/snapshot.cpp", "<kerntune/query/tuned_configs.hpp>", True),
    ("storage/include/kerntune/query/tuned_configs.hpp", "<kerntune/storage/records.hpp>", False),
    ("storage/src/snapshot.cpp", "<kerntune/core/errors.hpp>", False),
    ("plugins/kernels/sgemm/sgemm.cpp", "<kerntune/plugin/plugin.hpp>", True),
    ("plugins/kernels/sgemm/sgemm.cpp", "<kerntune/core/errors.hpp>", False),
    ("core/src/engine/tuner.cpp", "<kerntune/storage/records.hpp>", True),
    ("core/app/cmd_tune.cpp", "<kerntune/plugin/abi.h>", False),
    ("core/launch/launch.cpp", "<kerntune/core/device.hpp>", False),
    ("tests/search/rng_test.cpp", "<kerntune/core/device.hpp>", False),
    ("elsewhere/x.cpp", "<kerntune/core/device.hpp>", False),
    ("elsewhere/x.cpp", "<vector>", True),
    ("storage/src/sqlite_db.cpp", "<sqlite3.h>", True),
    ("core/src/engine/tuner.cpp", "<sqlite3.h>", False),
    ("core/src/plugin/library_loader.cpp", "<boost/dll/shared_library.hpp>", True),
    ("core/src/engine/tuner.cpp", "<boost/dll/shared_library.hpp>", False),
    ("core/src/engine/tuner.cpp", "<nlohmann/json.hpp>", True),
    ("core/src/engine/tuner.hpp", "<nlohmann/json.hpp>", False),
    ("core/src/engine/tuner.hpp", "<nlohmann/json_fwd.hpp>", True),
    ("core/src/engine/tuner.cpp", "<CLI/CLI.hpp>", False),
    ("core/src/engine/tuner.cpp", "<cuda.h>", False),
    ("core/src/cuda/driver_api.hpp", "<cuda.h>", True),
    ("core/src/cuda/driver_api.hpp", "<cupti.h>", False),
    ("core/include/kerntune/core/device.hpp", "<fmt/format.h>", False),
    ("core/include/kerntune/core/device.hpp", "<tl/expected.hpp>", True),
    ("core/include/kerntune/core/device.hpp", "<vector>", True),
    ("plugins/abi/include/kerntune/plugin/abi.h", "<stdint.h>", True),
]


def self_test():
    wrong = [example for example in EXAMPLES if (not broken_rules(example[0], f"#include {example[1]}\n")) != example[2]]
    in_a_string = 'auto s = R"(\n#include <cuda.h>\n)";\n'
    if broken_rules("core/src/engine/x.cpp", in_a_string):
        wrong.append(("an include inside a raw string", in_a_string, True))
    for path, header, allowed in wrong:
        print(f"check_layers self-test: {path} including {header}: expected {'allowed' if allowed else 'refused'}")
    return not wrong


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--self-test"]):
        sys.exit(__doc__)
    sys.exit(0 if (self_test() if sys.argv[1:] else check_tree()) else 1)
