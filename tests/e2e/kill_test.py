# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the program or of its worker at random moments. KERNTUNE_KILLS: how many (default 24); KERNTUNE_KILL_SEED."""

import os
import random
import signal
import sqlite3
import time

from program import HOST_GEMM, ProgramTest, main

KILLS = int(os.environ.get("KERNTUNE_KILLS", "24"))
SEED = int(os.environ.get("KERNTUNE_KILL_SEED", "1"))
IN_FLIGHT = 2  # evaluations that a device worker has at a time
TUNE = ("tune", HOST_GEMM, "--device", "host", "--dim", "n=96", "--dim", "k=96", "--strategy", "random", "--json")


def workers_of(pid):
    """Pids of worker processes that say they belong to `pid`, alive or not yet reaped."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError, IndexError):
            continue
        if len(words) > 3 and words[1] == b"--kerntune-worker" and words[3] == str(pid).encode() and state != "Z":
            found.append((int(name), words[2].decode()))
    return found


class Kill(ProgramTest):
    def stored(self):
        """(evaluations, rejected, started rows) in the store, which must be sound whenever it is looked at."""
        if not os.path.exists(self.path("store.db")):
            return 0, 0, 0
        shown = self.run_program("show", "host_gemm", "--json")  # undoes a half-written commit
        self.assertIn(shown.code, (0, 1), shown.err)  # 1: there is no evaluation yet
        self.assertEqual(self.ask("PRAGMA integrity_check"), "ok")
        rejected = self.ask("SELECT count(*) FROM evaluation WHERE status = 'rejected'")
        return self.count("evaluation"), rejected, self.count("started")

    def ask(self, sql):
        connection = sqlite3.connect(self.path("store.db"))
        try:
            return connection.execute(sql).fetchone()[0]
        finally:
            connection.close()

    def count(self, table):
        return self.ask(f"SELECT count(*) FROM {table}")

    def batch(self, number):
        return 1 + number // 3  # a quick build has measured a space after eight kills

    def wait_for_commits(self, process, commits):
        """Until the running program has written its store this often: the first is of the run, then come evaluations."""
        seen, last = 0, None
        while seen < commits and process.poll() is None:
            try:
                changed = os.stat(self.path("store.db")).st_mtime_ns
            except FileNotFoundError:
                changed = last
            seen += last is not None and changed != last
            last = changed
            time.sleep(0.002)

    def kill_the_program(self, number, commits, delay):
        process = self.start(*TUNE, "--batch", self.batch(number), "--budget", "10m")
        self.wait_for_commits(process, commits)
        time.sleep(delay)
        self.assertIsNone(process.poll(), "the run ended before it was killed")
        workers = workers_of(process.pid)
        process.kill()
        process.communicate(timeout=60)
        deadline = time.monotonic() + 20
        while workers_of(process.pid):
            self.assertLess(time.monotonic(), deadline, f"workers outlived the program: {workers_of(process.pid)}")
            time.sleep(0.01)
        return bool(workers)

    def kill_a_worker(self, number, commits, delay):
        process = self.start(*TUNE, "--batch", self.batch(number), "--budget", "2s")
        self.wait_for_commits(process, commits)
        time.sleep(delay)
        killed = 0
        for pid, kind in workers_of(process.pid):
            if kind == "device":
                os.kill(pid, signal.SIGKILL)
                killed += 1
        out, err = process.communicate(timeout=120)
        # A worker that is killed before it has opened anything cannot be told from a device that does not work.
        self.assertIn(process.returncode, (0, 3) if killed else (0,), err + out)
        return killed > 0 and process.returncode == 0

    def test_nothing_is_lost_nobody_is_blamed_and_the_next_run_goes_on(self):
        chance = random.Random(SEED)
        before = 0
        met = {"program": 0, "worker": 0}
        left_in_flight = 0
        for number in range(KILLS):
            at_worker = chance.random() < 0.3
            commits = chance.choice((0, 2, 3, 5, 9))  # 0: while it starts up
            delay = chance.uniform(0, 0.8 if commits == 0 else 0.05)
            with self.subTest(number=number, at_worker=at_worker, commits=commits, delay=delay):
                started = self.stored()[2]
                if at_worker:
                    met["worker"] += self.kill_a_worker(number, commits, delay)
                else:
                    met["program"] += self.kill_the_program(number, commits, delay)
                evaluations, rejected, in_flight = self.stored()
                self.assertGreaterEqual(evaluations, before)
                self.assertEqual(rejected, 0, "somebody innocent was blamed")
                self.assertLessEqual(in_flight - started, IN_FLIGHT)
                left_in_flight += in_flight > started
                before = evaluations
        self.assertGreater(met["program"], KILLS / 4)
        self.assertGreater(before, 0)
        for batch in range(1, self.batch(KILLS - 1) + 1):
            report = self.expect(0, *TUNE, "--batch", batch, "--budget", "20").json()["batches"][0]
            self.assertGreaterEqual(report["evaluated"], 20)
            self.assertEqual(report["failed"], 0)
            self.assertEqual(report["best"]["verified"], "reference")
        print(f"{KILLS} kills: {met['program']} of programs with workers, {met['worker']} of workers; {before} evaluations"
              f" stored, {left_in_flight} kills met one in flight, 0 lost, 0 blamed")


if __name__ == "__main__":
    main()
