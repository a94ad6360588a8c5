# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, SIGTERM and terminals."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

from program import HOST_GEMM, PROGRAM, ProgramTest, main

LONG = ("tune", HOST_GEMM, "--device", "host", "--batch", "64", "--dim", "n=256", "--dim", "k=256", "--budget", "10m")


class Stop(ProgramTest):
    def wait_for_a_result(self, process):
        """Until the store holds evaluations, which are the only promise about progress that does not depend on text."""
        deadline = time.monotonic() + 100
        while time.monotonic() < deadline:
            self.assertIsNone(process.poll(), "the run ended before it was stopped")
            shown = self.run_program("show", "host_gemm", "--json")
            if shown.code == 0 and shown.json()["evaluations_total"] >= 3:
                return
            time.sleep(0.3)
        self.fail("nothing was measured in 100 s")

    def stop_with(self, number, times=1):
        process = self.start(*LONG, "--json", start_new_session=True)
        self.wait_for_a_result(process)
        for _ in range(times):
            os.kill(process.pid, number)
            time.sleep(0.5)
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err

    def test_an_interrupt_prints_the_best_so_far(self):
        code, out, err = self.stop_with(signal.SIGINT)
        self.assertEqual(code, 4, err)
        document = json.loads(out)
        self.assertTrue(document["interrupted"])
        self.assertIsNotNone(document["batches"][0]["best"])
        self.assertIn("stopping after what is in flight", err)

    def test_sigterm_does_the_same(self):
        code, out, err = self.stop_with(signal.SIGTERM)
        self.assertEqual(code, 4, err)
        self.assertTrue(json.loads(out)["interrupted"])

    def test_a_closed_terminal_does_the_same(self):
        code, out, err = self.stop_with(signal.SIGHUP)
        self.assertEqual(code, 4, err)
        self.assertTrue(json.loads(out)["interrupted"])

    def test_a_second_interrupt_stops_at_once(self):
        code, out, err = self.stop_with(signal.SIGINT, times=2)
        self.assertEqual(code, 4, err)
        self.assertTrue(json.loads(out)["interrupted"])

    def test_the_next_run_goes_on_from_there(self):
        self.stop_with(signal.SIGINT)
        known = self.expect(0, "show", "host_gemm", "--json").json()["evaluations_total"]
        words = [w if w != "10m" else "5" for w in LONG]
        again = self.expect(0, *words, "--json").json()["batches"][0]
        self.assertGreater(known, 0)
        self.assertGreater(again["reused"], 0)


class Terminal(ProgramTest):
    def on_a_terminal(self, seconds, **variables):
        """Output of a run whose stderr is a terminal, interrupted after a while as a user would: the whole group."""
        ours, theirs = pty.openpty()
        environment = dict(self.environment, TERM="xterm", **variables)
        process = subprocess.Popen([PROGRAM, *LONG], stdout=theirs, stderr=theirs, stdin=theirs, env=environment,
                                   cwd=self.folder, start_new_session=True)
        os.close(theirs)
        text, begin, stopped = b"", time.monotonic(), False
        while time.monotonic() - begin < 120:
            if not stopped and time.monotonic() - begin > seconds:
                os.killpg(process.pid, signal.SIGINT)
                stopped = True
            if select.select([ours], [], [], 0.2)[0]:
                try:
                    text += os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
        os.close(ours)
        return process.wait(timeout=30), text.decode("utf-8", "replace")

    def test_one_line_is_redrawn_and_ctrl_c_spares_the_workers(self):
        code, text = self.on_a_terminal(8)
        self.assertEqual(code, 4, text)
        self.assertRegex(text, r"\rbatch 64[^\n]*\x1b\[K\rbatch 64")
        self.assertIn("\x1b[1m", text)
        self.assertIn("interrupted: the best so far", text)

    def test_no_color_is_respected(self):
        _, text = self.on_a_terminal(5, NO_COLOR="1")
        self.assertIsNone(re.search(r"\x1b\[\d+m", text), text)


if __name__ == "__main__":
    main()
