#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares raw counters of `kerntune profile` with Nsight Compute's, kernel by kernel, on a GPU.

  check_counters.py --kerntune build/release/core/app/kerntune --plugins DIR [--out figures.json] [--seconds 200]

Each kernel's default configuration is profiled warm (--l2 warm); then ncu counts the launch that `kerntune run
--in-process` makes, with --clock-control none --cache-control none. Needs a CUDA device, permission to count, and ncu
on the PATH or under /usr/local/cuda/bin.
"""
import argparse
import csv
import json
import shutil
import statistics
import subprocess
import sys
import time

# Metric -> how far it may be off, in per cent. The second group depends on what caches happen to hold.
METRICS = {
    "smsp__inst_executed.sum": 2, "l1tex__t_sectors.sum": 2, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 2,
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 2, "sm__cycles_active.avg": 2,
    "sm__warps_active.avg.pct_of_peak_sustained_active": 2,
    "smsp__issue_active.avg.pct_of_peak_sustained_active": 2,
    "smsp__inst_executed_op_local_ld.sum": 2, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 2,
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active": 2,
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active": 2,
    "lts__t_sectors_op_read.sum": 5, "dram__bytes_read.sum": 5, "l1tex__t_sector_hit_rate.pct": 5,
    "smsp__warps_issue_stalled_long_scoreboard.sum": 5,
}
KERNELS = [("copy", "64", "copy"), ("transpose", "4096", "transpose"), ("row_softmax", "4096", "softmax"),
           ("sgemm", "512", "sgemm"), ("sgemm", "4096", "sgemm"), ("row_softmax", "64", "softmax"),
           ("copy", "8", "copy")]


def run(words, timeout=90):
    done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout


def ours(options, kernel, batch):
    words = [options.kerntune, "profile", kernel, "--batch", batch, "--l2", "warm", "--plugins", options.plugins, "--json"]
    for metric in METRICS:
        words += ["--metric", metric]
    report = json.loads(run(words))
    if not report["access"]["usable"]:
        raise RuntimeError(report["access"]["reason"])
    readings = report["entries"][0]["counters"]["readings"]
    return {reading["metric"]: reading["value"] for reading in readings}, report["entries"][0]["time_ns"]


def nsight(options, kernel, batch, entry):
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    words = [ncu, "--metrics", ",".join(METRICS), "--clock-control", "none", "--cache-control", "none", "--csv", "--page",
             "raw", "--print-units", "base", "-k", f"regex:{entry}", "--launch-skip", "2", "-c", "5", options.kerntune,
             "run", kernel, "--batch", batch, "--l2", "warm", "--plugins", options.plugins, "--in-process", "--launches",
             "8", "--json"]
    lines = [line for line in run(words).splitlines() if line.startswith('"')]
    values = {metric: [] for metric in METRICS}
    for row in csv.DictReader(lines):
        for metric, found in values.items():
            try:
                found.append(float(row[metric].replace(",", "")))
            except (KeyError, ValueError):
                continue  # the line of units
    return {metric: statistics.median(found) for metric, found in values.items() if found}


def compare(options, kernel, batch, entry):
    mine, time_ns = ours(options, kernel, batch)
    theirs = nsight(options, kernel, batch, entry)
    rows = {}
    for metric, allowed in METRICS.items():
        a, b = mine.get(metric), theirs.get(metric)
        if a is None or b is None:
            continue
        off = 0.0 if a == b else 100 * (a / b - 1) if b else float("inf")
        rows[metric] = {"kerntune": a, "ncu": b, "off_pct": off, "within": abs(off) <= allowed}
    return {"time_ns": time_ns, "metrics": rows, "within": sum(row["within"] for row in rows.values()), "of": len(rows)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kerntune", required=True)
    parser.add_argument("--plugins", required=True)
    parser.add_argument("--out", default="counter_figures.json")
    parser.add_argument("--seconds", type=float, default=200)
    options = parser.parse_args()
    begun, figures = time.monotonic(), {}
    for kernel, batch, entry in KERNELS:
        name = f"{kernel} {batch}"
        if time.monotonic() - begun > options.seconds:
            print(f"{name}: left out, time is up", file=sys.stderr)
            continue
        try:
            figures[name] = compare(options, kernel, batch, entry)
        except (RuntimeError, subprocess.TimeoutExpired, KeyError, json.JSONDecodeError) as error:
            figures[name] = {"error": str(error)}
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)
        one = figures[name]
        print(name, one.get("error") or f"{one['within']} of {one['of']} within their limits")
        for metric, row in one.get("metrics", {}).items():
            print(f"  {metric:62} {row['kerntune']:16.6g} {row['ncu']:16.6g} {row['off_pct']:+8.2f} %"
                  f"{'' if row['within'] else '  OFF'}")
    good = [name for name, one in figures.items() if one.get("within", 0) >= 10]
    print(f"at least ten metrics within their limits: {len(good)} of {len(KERNELS)} kernels")
    return 0 if len(good) >= 6 else 1


if __name__ == "__main__":
    sys.exit(main())
