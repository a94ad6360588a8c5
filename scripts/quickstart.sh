#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds kerntune and tunes one kernel: sgemm on the first CUDA device, or host_gemm on the processor where there is none.
#   scripts/quickstart.sh [BUDGET]    configurations per batch (default 60), or a time for the run: 2m
# Leaves build/quickstart/results.db and report.html. Run again, it goes on from the results that are there.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

budget=${1:-60}
results=build/quickstart
kerntune=build/release/core/app/kerntune

step() { printf '\n== %s\n' "$*"; }

ensure_packages build

step "build (build/release)"
cmake --preset release -DKERNTUNE_UNITY=ON  # from nothing, some sources at a time are quicker
cmake --build --preset release

step "devices"
"$kerntune" devices
if "$kerntune" devices --json | grep -q '"cuda:0"'; then
    kernel=sgemm
else
    kernel=host_gemm
fi

step "tune $kernel"
mkdir -p "$results"
"$kerntune" tune "$kernel" --batch 1,16,128 --budget "$budget" --db "$results/results.db" --report "$results/report.html"

step "what production asks: the configuration for a batch of 100"
"$kerntune" query "$kernel" --batch 100 --db "$results/results.db" --device auto

printf '\nstore:  %s\nreport: %s\n' "$results/results.db" "$results/report.html"
