# SPDX-License-Identifier: Apache-2.0
"""tune, query, list, show, run and record on host kernels: real timings, nothing asserted about speed."""

import os

from program import HOST_GEMM, HOST_SUM, ProgramTest, main

SMALL = ("--device", "host", "--dim", "n=1024")


class Tune(ProgramTest):
    def tune(self, *words):
        return self.expect(0, "tune", HOST_SUM, *SMALL, "--json", "--quiet", *words).json()

    def test_finds_a_verified_winner_for_each_batch(self):
        report = self.tune("--batch", "4,1")
        self.assertEqual([b["batch"] for b in report["batches"]], [1, 4])
        for batch in report["batches"]:
            self.assertEqual(batch["evaluated"], 5)
            self.assertEqual(batch["best"]["verified"], "reference")
            self.assertIn(batch["best"]["config"], batch["ties"])
            self.assertGreater(batch["best"]["time_ns"], 0)
            self.assertGreater(batch["speedup"], 0)

    def test_measures_nothing_twice(self):
        self.tune("--batch", 2)
        again = self.tune("--batch", 2)["batches"][0]
        self.assertEqual(again["reused"], again["evaluated"])

    def test_text_says_how_to_ask_for_the_result(self):
        text = self.expect(0, "tune", HOST_SUM, *SMALL, "--batch", 2, "--quiet").out
        command = text[text.index("  kerntune query") :].split()
        self.expect(0, *command[1:])
        self.assertNotIn("\x1b", text)

    def test_progress_goes_to_stderr_unless_quiet(self):
        loud = self.expect(0, "tune", HOST_SUM, *SMALL, "--batch", 2)
        self.assertIn("batch 2", loud.err)
        self.assertNotIn("\r", loud.err)
        self.assertEqual(self.expect(0, "tune", HOST_SUM, *SMALL, "--batch", 2, "--quiet").err, "")

    def test_listed_configurations_may_leave_parameters_to_the_default(self):
        listed = self.write("list.txt", "unroll=4  # the rest as it is\n")
        batch = self.expect(0, "tune", HOST_GEMM, "--batch", 1, "--dim", "n=64", "--dim", "k=64", "--configs", listed, "--json",
                            "--quiet").json()["batches"][0]
        self.assertEqual(batch["evaluated"], 2)  # the default plays in any case
        self.assertIn("unroll=4", self.expect(0, "show", "host_gemm").out)

    def test_a_list_with_a_mistake_is_refused_before_anything_is_spent(self):
        finished = self.expect(2, "tune", HOST_SUM, "--configs", self.write("list.txt", "lanes=4\nlanes=5\n"))
        self.assertIn("parameter 'lanes' has no value '5'", finished.err)
        self.assertFalse(os.path.exists(self.path("store.db")))

    def test_a_report_is_written(self):
        self.expect(0, "tune", HOST_SUM, *SMALL, "--batch", 2, "--quiet", "--report", self.path("r.html"))
        with open(self.path("r.html"), encoding="utf-8") as page:
            self.assertIn("<h1>example_row_sum</h1>", page.read())

    def test_a_dangling_link_as_report_stays_the_users(self):
        os.symlink(self.path("target.html"), self.path("link.html"))
        self.expect(0, "tune", HOST_SUM, *SMALL, "--batch", 2, "--quiet", "--report", self.path("link.html"))
        self.assertTrue(os.path.islink(self.path("link.html")))
        self.assertTrue(os.path.exists(self.path("target.html")))

    def test_a_report_that_fails_at_the_end_leaves_one_document(self):
        finished = self.expect(3, "tune", HOST_SUM, *SMALL, "--batch", 2, "--json", "--report", "/dev/full")
        self.assertEqual(finished.json()["batches"][0]["batch"], 2)
        self.assertIn("/dev/full", finished.err)

    def test_a_report_that_cannot_be_written_is_noticed_before_the_work(self):
        finished = self.expect(3, "tune", HOST_SUM, *SMALL, "--report", self.path("no/folder/r.html"))
        self.assertIn("cannot be opened for writing", finished.err)
        self.assertFalse(os.path.exists(self.path("store.db")))


class Query(ProgramTest):
    def setUp(self):
        super().setUp()
        report = self.expect(0, "tune", HOST_SUM, *SMALL, "--batch", "2,8", "--json", "--quiet").json()
        self.key = report["device_key"]
        self.best = {b["batch"]: b["best"]["config"] for b in report["batches"]}
        self.default = report["batches"][0]["default"]["config"]

    def query(self, batch, *words):
        return self.expect(0, "query", "example_row_sum", "--batch", batch, "--json", *words).json()

    def test_answers_say_how_they_were_found(self):
        keyed = ("--device-key", self.key, "--dim", "n=1024")
        for batch, found, tuned in ((2, "exact", 2), (5, "bucket", 8), (64, "extrapolated", 8)):
            with self.subTest(batch=batch):
                answer = self.query(batch, *keyed)
                self.assertEqual((answer["found"], answer["tuned_batch"]), (found, tuned))
                self.assertEqual(answer["config"], self.best[tuned])
        self.assertGreaterEqual(self.query(5, *keyed)["bound"], 1)

    def test_this_machine_can_ask_for_itself(self):
        self.assertEqual(self.query(2, "--device", "host")["found"], "exact")

    def test_the_only_size_in_the_file_is_assumed_and_said(self):
        self.assertEqual(self.query(2, "--device-key", self.key)["assumed_dims"], {"n": 1024})
        other = self.query(2, "--device-key", self.key, "--dim", "n=2048")
        self.assertEqual((other["found"], other["assumed_dims"]), ("default", {}))

    def test_without_a_key_the_answer_is_the_default(self):
        answer = self.query(2)
        self.assertEqual((answer["found"], answer["config"]), ("default", self.default))
        self.assertIn("no device given", answer["reason"])
        self.assertIn(self.key, self.expect(0, "query", "example_row_sum", "--batch", 2).out)

    def test_a_strange_device_gets_the_default(self):
        self.assertEqual(self.query(2, "--device-key", "cuda-sm99")["found"], "default")

    def test_an_unknown_kernel_is_nothing_usable(self):
        answer = self.expect(1, "query", "example_row_smu", "--batch", 2, "--json").json()
        self.assertIn("example_row_sum", answer["reason"])

    def test_explain_shows_what_the_file_holds(self):
        explained = self.query(2, "--device-key", self.key, "--explain")
        self.assertEqual([t["batch"] for t in explained["tuned"]], [2, 8])

    def test_list_and_show_agree_with_the_run(self):
        results = self.expect(0, "list", "--json").json()["results"]
        self.assertEqual({r["batch"]: r["config"] for r in results}, self.best)
        shown = self.expect(0, "show", "example_row_sum", "--batch", 8, "--json").json()
        self.assertEqual([r["batch"] for r in shown["results"]], [8])
        self.assertEqual(shown["evaluations_total"], 5)
        self.assertIn("example_row_sum on", self.expect(0, "list").out)
        self.assertIn("evaluations (5 of 5)", self.expect(0, "show", "example_row_sum", "--batch", 8).out)

    def test_what_the_store_does_not_know_is_nothing_usable(self):
        unknown = self.expect(1, "show", "example_row_smu", "--json")
        self.assertEqual(unknown.json()["results"], [])
        self.assertIn("did you mean 'example_row_sum'?", unknown.err)
        self.expect(1, "show", "example_row_sum", "--batch", 3)
        self.expect(1, "list", "example_row_smu")


class Failures(ProgramTest):
    def test_configurations_that_do_not_apply_are_counted_with_the_reason(self):
        # Rows are shorter than 16 and 32 lanes: two configurations are not applicable, and say so.
        report = self.expect(0, "tune", HOST_SUM, "--device", "host", "--batch", 2, "--dim", "n=8", "--json", "--quiet").json()
        batch = report["batches"][0]
        self.assertEqual(batch["failures"], {"not_applicable": 2})
        text = self.expect(0, "tune", HOST_SUM, "--device", "host", "--batch", 2, "--dim", "n=8", "--quiet").out
        self.assertIn("not_applicable", text)


class Run(ProgramTest):
    def test_one_configuration_is_verified_and_timed(self):
        document = self.expect(0, "run", HOST_SUM, *SMALL, "--config", "lanes=4", "--batch", 2, "--json").json()
        self.assertTrue(document["ok"])
        self.assertEqual((document["config"], document["verified"]), ({"lanes": 4}, "reference"))
        self.assertEqual(len(document["samples_ns"]), 50)

    def test_parameters_that_are_left_out_are_the_defaults(self):
        part = ("--config", "unroll=2", "--batch", 1, "--dim", "n=64", "--dim", "k=64", "--json")
        document = self.expect(0, "run", HOST_GEMM, *part).json()
        whole = {"threads": 1, "block_m": 0, "block_n": 0, "block_k": 0, "simd": 4, "unroll": 2, "micro_m": 1}
        self.assertEqual(document["config"], whole)
        self.assertEqual(self.expect(0, "run", HOST_GEMM, "--in-process", *part).json()["config"], whole)

    def test_a_part_that_does_not_go_with_the_default_is_named_in_full(self):
        finished = self.expect(2, "run", HOST_GEMM, "--config", "threads=2")
        self.assertIn("threads=2,block_m=0,block_n=0,block_k=0,simd=4,unroll=1,micro_m=1 violates a constraint", finished.err)

    def test_in_process_gives_the_same_kind_of_answer(self):
        self.assertTrue(self.expect(0, "run", HOST_SUM, *SMALL, "--batch", 2, "--in-process", "--json").json()["ok"])

    def test_a_value_that_is_not_in_the_space_is_a_usage_error(self):
        self.assertIn("lanes", self.expect(2, "run", HOST_SUM, *SMALL, "--config", "lanes=5").err)

    def test_a_configuration_that_does_not_apply_is_nothing_usable(self):
        finished = self.expect(1, "run", HOST_SUM, "--device", "host", "--dim", "n=8", "--config", "lanes=32", "--json")
        self.assertEqual(finished.json()["rejection"]["reason"], "not_applicable")


class Record(ProgramTest):
    def test_a_recording_can_be_tuned_without_the_plugin(self):
        recording = self.path("sums.json")
        document = self.expect(0, "record", HOST_SUM, *SMALL, "--batch", 2, "-o", recording, "--json").json()
        self.assertTrue(document["written"])
        self.assertEqual(document["batches"][0]["evaluated"], 5)
        self.assertGreater(document["batches"][0]["fastest"]["time_ns"], 0)
        self.assertEqual(self.expect(0, "space", recording, "--count").out, "5\n")
        report = self.expect(0, "tune", recording, "--device", f"replay:{recording}", "--batch", 2, "--json", "--quiet").json()
        self.assertEqual(report["batches"][0]["best"]["verified"], "recorded")

    def test_a_missing_folder_is_noticed_before_the_work(self):
        self.assertIn("make it first", self.expect(2, "record", HOST_GEMM, "-o", self.path("no/folder/x.json")).err)


if __name__ == "__main__":
    main()
