# SPDX-License-Identifier: Apache-2.0
"""Help, errors, exit codes and output streams: what holds for every verb."""

import os
import resource
import shutil
import subprocess

from program import EXITS, HOST_SUM, PROGRAM, ProgramTest, main

VERBS = ["devices", "kernels", "space", "tune", "run", "query", "list", "show", "record", "check-plugin"]


class Help(ProgramTest):
    def test_version_is_one_line(self):
        self.assertRegex(self.expect(0, "--version").out, r"\Akerntune \d+\.\d+\.\d+\n\Z")

    def test_help_lists_every_verb(self):
        text = self.expect(0, "help").out
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", text)
        self.assertEqual(text, self.expect(0, "--help").out)

    def test_each_verb_has_a_page_with_an_example(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                text = self.expect(0, verb, "--help").out
                self.assertEqual(text, self.expect(0, "help", verb).out)
                self.assertIn(f"kerntune {verb}", text)
                self.assertIn("exit codes", text)


class Errors(ProgramTest):
    def test_nothing_at_all_is_a_usage_error(self):
        self.assertIn("a verb was expected", self.expect(2).err)

    def test_a_misspelt_verb_is_recognised(self):
        finished = self.expect(2, "tnue", "x")
        self.assertEqual(finished.err, "kerntune: unknown verb 'tnue' (did you mean 'tune'?); 'kerntune help' lists the verbs\n")
        self.assertEqual(finished.out, "")

    def test_a_misspelt_option_is_recognised(self):
        self.assertIn("(did you mean '--batch'?)", self.expect(2, "tune", "x", "--bacth", "1").err)

    def test_json_errors_are_documents(self):
        finished = self.expect(2, "tune", "x", "--batch", "none", "--json")
        self.assertEqual(finished.json()["error"]["kind"], "usage")
        self.assertEqual(finished.json()["error"]["exit_code"], 2)
        self.assertEqual(finished.err, f"kerntune: {finished.json()['error']['message']}\n")

    def test_automatic_batches_are_refused_with_a_reason(self):
        self.assertIn("not there yet", self.expect(2, "tune", "x", "--batch", "auto:1..4096").err)

    def test_a_misspelt_kernel_is_recognised(self):
        finished = self.expect(2, "tune", "example_row_smu", "--plugins", os.path.dirname(HOST_SUM))
        self.assertIn("did you mean 'example_row_sum'?", finished.err)

    def test_a_misspelt_size_is_recognised(self):
        finished = self.expect(2, "tune", HOST_SUM, "--dim", "m=64")
        self.assertIn("kernel 'example_row_sum' has no size 'm'", finished.err)

    def test_sizes_that_the_kernel_is_not_made_for_are_refused_before_a_device_is_opened(self):
        # Opening this device would fail with exit code 3.
        for verb in (("tune",), ("run",), ("run", "--paired"), ("record", "-o", self.path("r.json"))):
            with self.subTest(verb=verb):
                finished = self.expect(2, *verb, HOST_SUM, "--device", "cuda:99", "--batch", 2**63 - 1)
                self.assertIn("batch=9223372036854775807 is outside 1 to 4096", finished.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_batch_is_not_another_size(self):
        self.assertIn("give it with --batch", self.expect(2, "tune", HOST_SUM, "--dim", "batch=64").err)

    def test_a_store_that_is_not_there_is_an_environment_error(self):
        for verb in (("list",), ("show", "x"), ("query", "x", "--batch", 1)):
            finished = self.expect(3, *verb, "--db", self.path("nowhere.db"), "--json")
            self.assertEqual(finished.json()["error"]["exit_code"], 3)
            self.assertIn("nowhere.db': no such file; 'kerntune tune' makes one", finished.err)

    def test_a_batch_that_cannot_be_is_refused_by_every_verb(self):
        for verb in ("tune", "run", "query", "show", "record"):
            output = ("-o", "r.json") if verb == "record" else ()
            for batch in ("0", "-1", "x", "1.5", "", "9223372036854775808"):
                with self.subTest(verb=verb, batch=batch):
                    self.assertIn(f"{verb} --batch: expected a", self.expect(2, verb, HOST_SUM, *output, "--batch", batch).err)

    def test_a_file_that_is_no_store_is_left_alone(self):
        path = self.write("notes.db", "my notes, longer than any header of a database file would be\n" * 20)
        self.expect(3, "list", "--db", path)
        self.expect(3, "tune", HOST_SUM, "--db", path)
        with open(path, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("my notes"))

    def test_a_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = subprocess.run([PROGRAM, "help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(process.returncode, 3)
        self.assertIn("write the result to stdout", process.stderr)


class Inventory(ProgramTest):
    def test_the_host_is_always_a_device(self):
        devices = self.expect(0, "devices", "--json").json()["devices"]
        hosts = [d for d in devices if d["kind"] == "host"]
        self.assertEqual([d["id"] for d in hosts], ["host"])
        self.assertTrue(hosts[0]["device_key"])
        self.assertIn(hosts[0]["device_key"], self.expect(0, "devices").out)

    def test_missing_gpus_are_explained_in_a_sentence(self):
        document = self.expect(0, "devices", "--json").json()
        if not any(d["kind"] == "cuda" for d in document["devices"]):
            self.assertTrue(any("CUDA" in sentence for sentence in document["unavailable"]), document)

    def test_kernels_are_described_with_exact_counts(self):
        kernel = self.expect(0, "kernels", HOST_SUM, "--json").json()["kernels"][0]
        self.assertEqual((kernel["name"], kernel["count"]), ("example_row_sum", 5))
        self.assertIn("5 valid configurations", self.expect(0, "kernels", HOST_SUM).out)

    def test_a_broken_plugin_costs_only_itself(self):
        broken = self.write("broken.so", "not a shared object")
        document = self.expect(4, "kernels", HOST_SUM, broken, "--json").json()
        self.assertEqual(len(document["kernels"]), 1)
        self.assertEqual(document["problems"][0]["path"], broken)

    def test_no_kernels_is_nothing_usable(self):
        self.expect(1, "kernels", self.folder)

    def test_a_good_plugin_passes_its_check(self):
        document = self.expect(0, "check-plugin", HOST_SUM, "--json").json()
        self.assertTrue(document["passed"])
        self.assertFalse([c for c in document["checks"] if c["status"] == "fail"])

    def test_a_broken_plugin_fails_its_check(self):
        finished = self.expect(1, "check-plugin", self.write("broken.so", "not a shared object"))
        self.assertIn("does not conform", finished.out)

    def test_too_few_descriptors_are_named(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
        process = subprocess.run([PROGRAM, "tune", HOST_SUM], env=self.environment, capture_output=True, text=True,
                                 preexec_fn=limit, check=False)
        self.assertEqual(process.returncode, 3)
        self.assertIn("raise 'ulimit -n' to 256", process.stderr)

    def test_a_plugin_whose_path_is_not_utf8_is_named_as_such(self):
        path = os.path.join(os.fsencode(self.folder), b"bad\xff.so")
        shutil.copy(HOST_SUM, path)
        process = subprocess.run([PROGRAM, "tune", path], env=self.environment, capture_output=True, check=False)
        self.assertEqual(process.returncode, 3)
        self.assertIn(b"its path is not UTF-8", process.stderr)

    def test_what_is_no_file_is_not_called_missing(self):
        os.mkdir(self.path("folder.so"))
        os.mkfifo(self.path("pipe.json"))
        for path in (self.path("folder.so"), self.path("pipe.json")):
            self.assertIn(f"found a folder, pipe or device '{path}'", self.expect(2, "tune", path).err)

    def test_a_full_disk_under_stderr_does_not_end_the_work(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            for code, words in ((0, ("tune", HOST_SUM, "--device", "host", "--dim", "n=1024", "--batch", "1")), (2, ("nonsense",))):
                process = subprocess.run([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=full, env=self.environment,
                                         check=False, timeout=120)
                self.assertEqual(process.returncode, code, words)

    def test_a_check_does_not_wait_for_what_its_plugin_left_behind(self):
        # EXITS ends its process; with this variable it leaves a child in a session of its own, which holds every pipe.
        self.environment["KERNTUNE_TEST_LEAVES"] = self.path("left")
        self.expect(1, "check-plugin", EXITS, "--timeout", 60)
        with open(self.path("left"), encoding="utf-8") as file:
            left = int(file.read())
        with self.assertRaises(ProcessLookupError):
            os.kill(left, 0)

    def test_a_plugin_that_ends_its_process_fails_its_check(self):
        document = self.expect(1, "check-plugin", EXITS, "--json").json()
        self.assertFalse(document["passed"])
        self.assertIn("under a debugger", document["checks"][-1]["message"])


if __name__ == "__main__":
    main()
