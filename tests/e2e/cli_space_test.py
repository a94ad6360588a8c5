# SPDX-License-Identifier: Apache-2.0
"""kerntune space on the kinds of files it takes."""

import json

from program import HOST_SUM, ProgramTest, main

DEFINITION = {
    "name": "tiles",
    "params": {"block": [16, 32, 64], "items": [1, 2, 4], "mode": ["fast", "exact"]},
    "constraints": ["block * items <= 128"],
}
# block*items: 16..64 (3), 32..128 (3), 64, 128 (2) -> 8 pairs, times 2 modes.
VALID = 16


class Space(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("tiles.json", json.dumps(DEFINITION))

    def test_count_prints_the_bare_number(self):
        self.assertEqual(self.expect(0, "space", self.file, "--count").out, f"{VALID}\n")
        self.assertEqual(self.expect(0, "space", HOST_SUM, "--count").out, "5\n")

    def test_every_index_gives_another_valid_configuration(self):
        seen = set()
        for index in range(VALID):
            item = self.expect(0, "space", self.file, "--at", index, "--json").json()["configurations"][0]
            self.assertEqual(item["index"], index)
            self.assertLessEqual(item["config"]["block"] * item["config"]["items"], 128)
            seen.add(json.dumps(item["config"], sort_keys=True))
        self.assertEqual(len(seen), VALID)

    def test_an_index_beyond_the_space_is_refused(self):
        self.assertIn(f"expected an index below {VALID}, found {VALID}", self.expect(2, "space", self.file, "--at", VALID).err)
        self.expect(2, "space", self.file, "--at", "-1")
        beyond = str(2**128 + 1)  # 1 if it wrapped
        self.assertIn(f"found {beyond}", self.expect(2, "space", self.file, "--at", beyond).err)

    def test_indices_beyond_64_bits_are_exact(self):
        params = {f"p{i}": list(range(1024)) for i in range(12)}
        wide = self.write("wide.json", json.dumps({"name": "wide", "params": params, "constraints": []}))
        last = 2**120 - 1
        item = self.expect(0, "space", wide, "--at", last, "--json").json()["configurations"][0]
        self.assertEqual((item["index"], set(item["config"].values())), (str(last), {1023}))
        self.assertIn(f"expected an index below {2**120}", self.expect(2, "space", wide, "--at", 2**120).err)

    def test_a_number_of_samples_that_makes_no_sense_is_refused(self):
        for count in (0, -5, 10**12):
            self.assertIn("expected 1 to 1000000", self.expect(2, "space", self.file, "--sample", count).err)

    def test_samples_repeat_with_the_seed(self):
        first = self.expect(0, "space", self.file, "--sample", 20, "--seed", 7).out
        self.assertEqual(first, self.expect(0, "space", self.file, "--sample", 20, "--seed", 7).out)
        self.assertNotEqual(first, self.expect(0, "space", self.file, "--sample", 20, "--seed", 8).out)
        self.assertEqual(len(first.splitlines()), 20)

    def test_wishes_exclude_each_other(self):
        self.expect(2, "space", self.file, "--count", "--sample", 3)

    def test_the_document_describes_the_space(self):
        document = self.expect(0, "space", self.file, "--json").json()
        self.assertEqual((document["kernel"], document["count"], document["product"]), ("tiles", VALID, 18))
        self.assertEqual(document["constraints"], DEFINITION["constraints"])
        self.assertEqual([p["name"] for p in document["params"]], ["block", "items", "mode"])

    def test_a_broken_constraint_is_shown_with_its_place(self):
        broken = self.write("broken.json", json.dumps(dict(DEFINITION, constraints=["block * itmes <= 128"])))
        finished = self.expect(2, "space", broken, "--count")
        self.assertIn("itmes", finished.err)

    def test_an_empty_space_is_nothing_usable(self):
        empty = self.write("empty.json", json.dumps(dict(DEFINITION, constraints=["block < 0"])))
        self.assertIn(self.run_program("space", empty, "--count").code, (1, 2))


if __name__ == "__main__":
    main()
