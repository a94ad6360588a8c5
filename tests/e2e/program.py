# SPDX-License-Identifier: Apache-2.0
"""Runs the kerntune program for tests: every test gets a folder of its own, and no result of the user is touched."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["KERNTUNE"]
HOST_SUM = os.environ["KERNTUNE_TEST_HOST_SUM"]
HOST_GEMM = os.environ["KERNTUNE_TEST_HOST_GEMM"]
EXITS = os.environ["KERNTUNE_TEST_EXITS"]  # a plugin that ends its process when it is opened


class Finished:
    """A process that has ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        return json.loads(self.out)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kerntune-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(os.environ, HOME=self.folder, KERNTUNE_DB=self.path("store.db"),
                                KERNTUNE_CACHE_DIR=self.path("cache"), LC_ALL="C.UTF-8", COLUMNS="200")
        for name in ("NO_COLOR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "KERNTUNE_PLUGIN_PATH"):
            self.environment.pop(name, None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start(self, *words, **options):
        return subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                encoding="utf-8", env=self.environment, cwd=self.folder, **options)

    def run_program(self, *words, timeout=120):
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"kerntune {' '.join(map(str, words))} did not end in {timeout} s; stderr: {err}")
        return Finished(process.returncode, out, err)

    def expect(self, code, *words, **options):
        """Runs and checks the exit code."""
        finished = self.run_program(*words, **options)
        self.assertEqual(finished.code, code, f"kerntune {words}\nstdout: {finished.out}\nstderr: {finished.err}")
        return finished


def main():
    unittest.main(verbosity=2)
