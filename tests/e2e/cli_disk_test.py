# SPDX-License-Identifier: Apache-2.0
"""Stores that cannot be written: a full disk, a file size limit, a read-only folder, a locked file."""

import os
import resource
import shutil
import sqlite3
import subprocess
import threading
import time
import unittest

from program import HOST_GEMM, HOST_SUM, PROGRAM, ProgramTest, main

SMALL = ("tune", HOST_SUM, "--device", "host", "--dim", "n=1024", "--quiet")
LONG = ("tune", HOST_GEMM, "--device", "host", "--dim", "n=64", "--dim", "k=64", "--batch", 2, "--budget", 60)
NOBODY = 65534


def may_mount():
    probe = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]
    return shutil.which("unshare") is not None and subprocess.run(probe, capture_output=True, check=False).returncode == 0


class Disk(ProgramTest):
    def evaluations(self, path=None):
        connection = sqlite3.connect(path or self.path("store.db"))
        try:
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            return connection.execute("SELECT count(*) FROM evaluation").fetchone()[0]
        finally:
            connection.close()

    def expect_refusal(self, finished, *texts):
        self.assertEqual(finished.code, 3, f"stdout: {finished.out}\nstderr: {finished.err}")
        for text in (self.path("store.db"), *texts):
            self.assertIn(text, finished.err)

    def run_with(self, before, *words):
        process = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, encoding="utf-8", check=False,
                                 env=self.environment, cwd=self.folder, preexec_fn=before, timeout=120)
        process.code, process.out, process.err = process.returncode, process.stdout, process.stderr
        return process

    def test_a_file_size_limit_is_named_and_nothing_is_lost(self):
        self.expect(0, *SMALL, "--batch", 1)
        known = self.evaluations()
        limit = os.path.getsize(self.path("store.db"))
        refused = self.run_with(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)), *SMALL, "--batch",
                                "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16")
        self.expect_refusal(refused, "check the disk, and limits on file sizes")
        self.assertGreaterEqual(self.evaluations(), known)
        self.expect(0, *SMALL, "--batch", "1,2")

    @unittest.skipUnless(may_mount(), "mounting a small file system is not allowed here")
    def test_a_full_disk_is_named_and_nothing_is_lost(self):
        script = f"""
            mount -t tmpfs -o size=4m none {self.path('small')} || exit 99
            {PROGRAM} {' '.join(SMALL)} --batch 1 --db small/store.db || exit 98
            cp small/store.db before.db
            cat /dev/zero > small/filler 2>/dev/null
            {PROGRAM} {' '.join(SMALL)} --batch 2,3 --db small/store.db
            echo "exit code $?"
            cp small/store.db after.db
            rm small/filler
            {PROGRAM} {' '.join(SMALL)} --batch 2 --db small/store.db || exit 97"""
        os.mkdir(self.path("small"))
        run = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False,
                             env=self.environment, cwd=self.folder, timeout=120)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("exit code 3", run.stdout)
        self.assertIn("'small/store.db'", run.stderr)
        self.assertIn("free space on that disk", run.stderr)
        self.assertEqual(self.evaluations(self.path("after.db")), self.evaluations(self.path("before.db")))

    def test_a_folder_that_may_not_be_written_is_named(self):
        self.expect(0, *SMALL, "--batch", 1)
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        become = (lambda: os.setuid(NOBODY)) if os.getuid() == 0 else None
        if become and self.run_with(become, "--version").code != 0:
            self.skipTest("the program cannot be run by another user here")
        self.expect_refusal(self.run_with(become, *SMALL, "--batch", 2), "writable")
        shown = self.run_with(become, "show", "example_row_sum")
        self.assertEqual(shown.code, 0, shown.err)
        self.assertEqual(self.evaluations(), 5)

    def locked_for(self, seconds):
        connection = sqlite3.connect(self.path("store.db"), check_same_thread=False)
        connection.execute("BEGIN EXCLUSIVE")
        timer = threading.Timer(seconds, connection.close)
        timer.start()
        self.addCleanup(timer.join)

    def test_a_lock_is_waited_for(self):
        self.expect(0, *SMALL, "--batch", 1)
        self.locked_for(3)
        begin = time.monotonic()
        self.expect(0, *SMALL, "--batch", 2)
        self.assertGreater(time.monotonic() - begin, 2)

    def test_a_store_that_cannot_be_opened_for_a_lock_is_named_and_nothing_is_lost(self):
        self.expect(0, *SMALL, "--batch", 1)
        self.locked_for(16)
        self.expect_refusal(self.run_program(*SMALL, "--batch", 2), "locked", "wait for it or stop it")
        time.sleep(6)
        self.assertEqual(self.evaluations(), 5)

    def test_a_run_waits_for_a_lock_and_says_so(self):
        self.expect(0, *SMALL, "--batch", 1)
        run = self.start(*LONG)
        while self.evaluations() < 8:
            time.sleep(0.1)
        self.locked_for(13)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, err)
        self.assertIn("has kept it locked for 10 s", err)


if __name__ == "__main__":
    main()
