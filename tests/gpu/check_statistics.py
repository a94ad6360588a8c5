#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks on a GPU what no CPU can: that times agree with other timers, that the order of measuring does not choose the
winner, and what timing costs. Every step is guarded and bounded; the figures so far are written after each.

  check_statistics.py --kerntune build/portable/core/app/kerntune --event-loop build/portable/tests/bench/event_loop
                      [--plugins DIR] [--out figures.json] [--seconds 110] [--tunes 10]

Needs: a CUDA device; ncu on the PATH or under /usr/local/cuda/bin for one of the comparisons. No network.
"""
import argparse
import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {"5us": 1600, "50us": 24000, "500us": 247000, "5ms": 2475000}  # multiply-adds at 2 GHz
EMPTY_STEPS = 1


class Check:
    def __init__(self, options):
        self.options = options
        self.begun = time.monotonic()
        self.folder = tempfile.mkdtemp(prefix="kerntune-check-")
        self.figures = {"steps": {}, "errors": []}
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))

    def left(self):
        return self.options.seconds - (time.monotonic() - self.begun)

    def save(self):
        self.figures["seconds"] = round(time.monotonic() - self.begun, 1)
        with open(self.options.out, "w", encoding="utf-8") as file:
            json.dump(self.figures, file, indent=1)
            file.write("\n")

    def run(self, words, timeout=60):
        done = subprocess.run(words, capture_output=True, text=True, timeout=max(5, min(timeout, self.left() + 10)),
                              env=self.environment, check=False)
        if done.returncode not in (0, 4):
            raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}: {(done.stderr or done.stdout)[-600:]}")
        return done.stdout

    def kerntune(self, *words, timeout=60):
        plugins = ["--plugins", self.options.plugins] if self.options.plugins else []
        return json.loads(self.run([self.options.kerntune, *words, *plugins, "--json"], timeout))

    def step(self, name, work, needs_seconds=0):
        """Runs one step; what goes wrong is a figure too."""
        if self.left() < needs_seconds:
            self.figures["errors"].append(f"{name}: left out, {self.left():.0f} s left of {self.options.seconds}")
            return
        begun = time.monotonic()
        try:
            self.figures["steps"][name] = work()
        except Exception as error:  # pylint: disable=broad-except
            self.figures["errors"].append(f"{name}: {error}")
            print(f"{name}: {error}", file=sys.stderr)
        print(f"{name}: {time.monotonic() - begun:.1f} s", file=sys.stderr)
        self.save()

    # -- agreement with other timers ---------------------------------------------------------------------------------

    def loop_words(self, config, steps, launches, batches, flush_bytes=0):
        n, block = 16896, int(config["block_x"])
        return [self.options.event_loop, "--source", os.path.join(HERE, "steady.cu"),
                "--entry", f"steady<{block}, {int(config['unroll'])}>", "--arch", self.options.arch,
                "--grid", str(math.ceil(n / block)), "--block", str(block), "--arg", f"f32:{n}", "--arg", f"f32:{n}",
                "--arg", f"i32:{n}", "--arg", f"i32:{steps}", "--launches", str(launches), "--batches", str(batches),
                *(["--flush", str(flush_bytes)] if flush_bytes else [])]

    def ncu_us(self, config, steps, l2):
        caches = "all" if l2 == "cold" else "none"  # what is flushed before each launch
        ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
        words = [ncu, "--metrics", "gpu__time_duration.sum", "--clock-control", "none", "--cache-control", caches,
                 "--csv", "--page", "raw", "--print-units", "base", "-k", "regex:steady"]
        if steps > 1000000:
            words += ["-c", "12"]
        out = self.run(words + self.loop_words(config, steps, 30, 1), timeout=40)
        lines = [line for line in out.splitlines() if line.startswith('"')]
        rows = list(csv.DictReader(lines))
        values = []
        for row in rows:
            try:
                values.append(float(row["gpu__time_duration.sum"].replace(",", "")) / 1000)  # ns
            except (KeyError, ValueError):
                continue  # the line of units
        if not values:
            raise RuntimeError("ncu printed no gpu__time_duration.sum: " + out[-400:])
        half = values[len(values) // 3:]  # the first launches load and warm up
        return statistics.median(half), len(values)

    def agreement(self, name, l2):
        steps = SIZES[name]
        store = os.path.join(self.folder, f"steady-{name}-{l2}.db")
        report = self.kerntune("tune", os.path.join(HERE, "steady.json"), "--device", "cuda:0", "--batch", str(steps),
                               "--strategy", "exhaustive", "--budget", "all", "--l2", l2, "--db", store, "--quiet")
        batch = report["batches"][0]
        best = batch["best"]
        figures = {"config": best["config"], "kerntune_us": best["time_ns"] / 1000, "runs_per_sample": batch["runs_per_sample"],
                   "timer_floor_ns": best["facts"].get("timer_floor_ns"),
                   "timer_overhead_ns": best["facts"].get("timer_overhead_ns"), "lane": batch["lane"]}
        launches = max(5, min(400, int(40000 / max(figures["kerntune_us"], 1))))
        flush_bytes = 2 * self.l2_bytes() if l2 == "cold" else 0
        loop = json.loads(self.run(self.loop_words(best["config"], steps, launches, 15, flush_bytes)))
        figures["event_loop_us"] = loop["loop_us"]
        figures["event_per_launch_us"] = loop["single_us"]
        figures["against_event_loop_pct"] = 100 * (figures["kerntune_us"] / loop["loop_us"] - 1)
        try:
            figures["ncu_us"], figures["ncu_launches"] = self.ncu_us(best["config"], steps, l2)
            figures["against_ncu_pct"] = 100 * (figures["kerntune_us"] / figures["ncu_us"] - 1)
        except Exception as error:  # pylint: disable=broad-except
            self.figures["errors"].append(f"ncu at {name}: {error}")
        return figures

    def l2_bytes(self):
        devices = self.figures["steps"]["device"]["devices"]
        return next(device["limits"]["l2_bytes"] for device in devices if device["id"] == "cuda:0")

    def intercepts(self):
        """What each timer gives to a kernel that does next to nothing: the constants that short kernels differ by."""
        config = {"block_x": 128, "unroll": 1}
        loop = json.loads(self.run(self.loop_words(config, EMPTY_STEPS, 400, 15)))
        figures = {"event_loop_us": loop["loop_us"], "event_per_launch_us": loop["single_us"]}
        run = self.kerntune("run", os.path.join(HERE, "steady.json"), "--device", "cuda:0", "--batch", str(EMPTY_STEPS),
                            "--config", "block_x=128,unroll=1", "--l2", "warm")
        figures["kerntune_us"] = run["time_ns"] / 1000
        figures["facts"] = run["facts"]
        figures["ncu_us"], _ = self.ncu_us(config, EMPTY_STEPS, "warm")
        return figures

    # -- the order of measuring --------------------------------------------------------------------------------------

    def candidates(self, kernel, count):
        space = self.kerntune("space", kernel, "--sample", str(4 * count), "--seed", "1")
        texts = []
        for row in space.get("configurations", space.get("sample", [])):
            config = row["config"] if isinstance(row, dict) and "config" in row else row
            text = ",".join(f"{name}={self.text_of(value)}" for name, value in config.items())
            if text not in texts:
                texts.append(text)
        if not texts:
            raise RuntimeError(f"space --sample printed none: {list(space)}")
        return texts[:count]

    @staticmethod
    def text_of(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        return value if isinstance(value, str) else repr(value)

    def orders(self, kernel, sizes, count):
        path = os.path.join(self.folder, f"{kernel}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.candidates(kernel, count)) + "\n")
        tunes, picks = [], []
        for seed in range(1, self.options.tunes + 1):
            if self.left() < 20:
                self.figures["errors"].append(f"{kernel}: {seed - 1} of {self.options.tunes} tunes, then time was up")
                break
            store = os.path.join(self.folder, f"{kernel}-{seed}.db")
            report = self.kerntune("tune", kernel, "--device", "cuda:0", *sizes, "--configs", path, "--order-seed",
                                   str(seed), "--db", store, "--quiet")
            batch = report["batches"][0]
            text = ",".join(f"{name}={self.text_of(value)}" for name, value in batch["best"]["config"].items())
            picks.append(text)
            tunes.append({"order_seed": seed, "best": text, "time_us": batch["best"]["time_ns"] / 1000,
                          "ties": len(batch["ties"]), "unresolved": batch["unresolved"],
                          "rounds": batch["confirm_rounds"], "wall_s": batch["wall_s"], "lane": batch["lane"],
                          "throttled_samples": batch["throttled_samples"], "incumbent": batch["incumbent"],
                          "runs_per_sample": batch["runs_per_sample"]})
        distinct = sorted(set(picks))
        figures = {"tunes": tunes, "distinct_picks": distinct}
        words = []
        for text in distinct:
            words += ["--config", text]
        final = self.kerntune("run", kernel, "--device", "cuda:0", *sizes, "--paired", *words)
        figures["paired_final"] = {key: final[key] for key in ("rounds", "unresolved", "one_tie_set", "runs_per_sample")}
        figures["paired_final"]["entries"] = [
            {key: entry[key] for key in ("text", "time_ns", "ratio", "ratio_low", "ratio_high", "tie")}
            for entry in final["entries"]]
        # One pick in all tunes is compared with the default, for the record; there is nothing to tie with.
        figures["in_one_tie_set"] = len(distinct) == 1 or final["one_tie_set"]
        return figures

    # -- cost --------------------------------------------------------------------------------------------------------

    def cost(self, kernel, sizes, count):
        path = os.path.join(self.folder, f"{kernel}-cost.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.candidates(kernel, count)) + "\n")
        report = self.kerntune("tune", kernel, "--device", "cuda:0", *sizes, "--configs", path, "--db",
                               os.path.join(self.folder, f"{kernel}-cost.db"), "--quiet")
        batch = report["batches"][0]
        return {"time_us": batch["best"]["time_ns"] / 1000, "lane": batch["lane"], "wall_s": batch["wall_s"]}


def summary(figures):
    steps = figures["steps"]
    result = {}
    for name, step in steps.items():
        if name.startswith("agreement"):
            for other in ("event_loop", "ncu"):
                key = f"against_{other}_pct"
                if key in step:
                    result[f"{name} {other} within 1 %"] = abs(step[key]) <= 1
        if name.startswith("orders"):
            result[f"{name} in one tie set"] = step["in_one_tie_set"]
            result[f"{name} at most 2 ms fixed"] = all(t["lane"]["fixed_us_per_screened"] <= 2000 for t in step["tunes"])
    if "cost of long kernels" in steps:
        result["at least 75 % in the kernel under test"] = steps["cost of long kernels"]["lane"]["launched_share"] >= 0.75
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kerntune", required=True)
    parser.add_argument("--event-loop", required=True)
    parser.add_argument("--plugins", default="")
    parser.add_argument("--out", default="statistics_figures.json")
    parser.add_argument("--seconds", type=float, default=110)
    parser.add_argument("--tunes", type=int, default=10)
    parser.add_argument("--arch", default="sm_90")
    check = Check(parser.parse_args())
    check.step("device", lambda: json.loads(check.run([check.options.kerntune, "devices", "--json"])))
    check.step("intercepts", check.intercepts)
    for name in SIZES:
        for l2 in ("cold", "warm"):
            check.step(f"agreement {name} {l2}", lambda name=name, l2=l2: check.agreement(name, l2))
    check.step("orders row_softmax", lambda: check.orders("row_softmax", ["--batch", "64"], 24), 10)
    check.step("orders sgemm", lambda: check.orders("sgemm", ["--batch", "64"], 24), 10)
    check.step("cost of long kernels", lambda: check.cost("sgemm", ["--batch", "4096"], 24), 8)
    check.figures["summary"] = summary(check.figures)
    check.save()
    shutil.rmtree(check.folder, ignore_errors=True)
    json.dump(check.figures["summary"], sys.stdout, indent=1)
    print()
    return 0 if check.figures["summary"] and all(check.figures["summary"].values()) and not check.figures["errors"] else 1


if __name__ == "__main__":
    sys.exit(main())
