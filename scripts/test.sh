#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests kerntune.
#   scripts/test.sh            the unit stage, and the gpu stage where there is a CUDA device
#   scripts/test.sh --ci       the stages that continuous integration runs: checks, format, unit, no-cuda, query-only
#   scripts/test.sh STAGE...   these stages
# Stages, each in a build folder of its own under build/:
#   checks      allowed includes, paths of somebody's machine, links in the documents
#   format      clang-format 19 on all C++ files
#   unit        all tests but those of a GPU, under AddressSanitizer and UndefinedBehaviorSanitizer
#   gpu         the tests of a GPU, which must be there
#   tsan        search, storage and engine tests under ThreadSanitizer
#   no-cuda     built without CUDA headers: end-to-end, install and ABI tests
#   query-only  the production library alone, and its tests
#   cuda12      core against CUDA 12.9 (fetched into build/cuda12-toolkit), without a GPU: compiler, planning of counters, and every
#               source kernel's default and 3 more configurations for sm_70 to sm_120. sweep: 20 more, with the toolkit that is there
#   fuzz        every fuzzer, a minute together
#   tidy        clang-tidy 19 on the files changed since the merge base; tidy-all: on every file
# Exit code: 0 if every stage passed. Ends with a table of stages and seconds.
# shellcheck disable=SC2317  # stages are called by name
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

ci_stages=(checks format unit no-cuda query-only)
jobs=$(nproc)
fuzz_seconds=${KERNTUNE_FUZZ_SECONDS:-60}
clang=(-DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19)

usage() { sed -n '3,/^$/{/shellcheck/d;s/^# \{0,1\}//;p}' scripts/test.sh; }

has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }  # a bare driver, or the one of Windows' Linux subsystem

build() {  # preset, then targets
    local preset=$1 options=()
    shift
    case $preset in asan | tsan | no-cuda) options+=(-DKERNTUNE_UNITY=ON) ;; esac  # from nothing, twice as quick
    case $preset in asan | tsan) options+=("${clang[@]}") ;; esac                  # likewise, and a second compiler
    cmake --preset "$preset" "${options[@]}" >/dev/null && cmake --build "build/$preset" --parallel "$jobs" --target "${@:-all}"
}

run_ctest() {  # preset, then further arguments; targets that were not built are no failures
    local preset=$1
    shift
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$jobs" -E '_NOT_BUILT$' "$@"
}

stage_checks() {
    local failed=0
    scripts/check_layers.py --self-test || failed=1
    scripts/check_layers.py || failed=1
    scripts/check_names.sh || failed=1
    scripts/check_links.py || failed=1
    return $failed
}

cpp_files() { git ls-files '*.hpp' '*.cpp' '*.h' '*.c' '*.cu' '*.cuh'; }

stage_format() { cpp_files | xargs clang-format-19 --dry-run --Werror; }

stage_unit() {
    export LSAN_OPTIONS="suppressions=$PWD/scripts/lsan.supp:print_suppressions=0"
    build asan && run_ctest asan -LE 'gpu|bench|sweep'
}

stage_gpu() {
    build dev && KERNTUNE_REQUIRE_GPU=1 run_ctest dev -L gpu --parallel 1
}

stage_tsan() {
    local tests=(storage_{store,units,failures,query}_test {expr,rng,param_space,strategy}_test engine_{racing,confirm,tune}_test
        process_{frame,worker}_test)
    build tsan "${tests[@]}" && run_ctest tsan -R "^($(IFS='|' && echo "${tests[*]}"))\$"
}

stage_no-cuda() {
    build no-cuda kerntune plugins/all tests/plugins/all tests/e2e/all tests/install/all report_sample_page kerntune_plugin_exits_in_constructor && run_ctest no-cuda -L 'e2e|install|abi'
}

stage_query-only() {
    build query-only && run_ctest query-only
}

stage_cuda12() {
    local toolkit=$PWD/build/cuda12-toolkit
    local tests=(cuda_{nvrtc,cubin_cache,device}_test cupti_planner_test kernels_architectures_test)
    scripts/fetch_cuda12.sh "$toolkit" || return
    export CUDA_HOME=$toolkit KERNTUNE_TEST_TOOLKIT=12.9 KERNTUNE_COMPILE_SAMPLES=3 KERNTUNE_FACTS_FILE=$PWD/build/cuda12/facts.md
    unset CUDA_PATH KERNTUNE_NVRTC KERNTUNE_CUPTI
    cmake --preset dev -B build/cuda12 "${clang[@]}" -DKERNTUNE_UNITY=ON -DKERNTUNE_WITH_CUDA=ON -DCMAKE_CXX_FLAGS_DEBUG=-O0 >/dev/null &&
        cmake --build build/cuda12 --parallel "$jobs" --target "${tests[@]}" &&
        run_ctest cuda12 -R "^($(IFS='|' && echo "${tests[*]}"))\$"
}

stage_sweep() { build dev kernels_architectures_test && run_ctest dev -L sweep; }

fuzzers() { find tests/fuzz -name '*_fuzz.cpp' -printf '%f\n' | sed 's/\.cpp$//' | sort; }

stage_fuzz() {
    local names
    mapfile -t names < <(fuzzers)
    cmake --preset dev -B build/fuzz "${clang[@]}" -DKERNTUNE_BUILD_FUZZERS=ON -DKERNTUNE_UNITY=ON >/dev/null && cmake --build build/fuzz --parallel "$jobs" --target "${names[@]}" || return
    local name
    for name in "${names[@]}"; do
        run_fuzzer "$name" $((fuzz_seconds / ${#names[@]})) || return
    done
}

# What a run finds is kept in build/fuzz/corpus; the corpus of the repository grows by hand only.
run_fuzzer() {  # name, seconds
    local found=build/fuzz/corpus/$1
    local options=(-max_total_time="$2" -print_final_stats=1 -artifact_prefix="build/fuzz/$1-")
    local corpus=("$found")
    [ ! -d "tests/fuzz/corpus/$1" ] || corpus+=("tests/fuzz/corpus/$1")
    [ ! -f "tests/fuzz/$1.dict" ] || options+=(-dict="tests/fuzz/$1.dict")
    mkdir -p "$found"
    echo "-- $1, $2 s"
    "build/fuzz/tests/fuzz/$1" "${options[@]}" "${corpus[@]}" >"build/fuzz/$1.log" 2>&1 || { tail -n 60 "build/fuzz/$1.log"; return 1; }
    grep -E 'number_of_executed_units|new_units_added' "build/fuzz/$1.log"
}

# The commit to compare with: where this branch left the main one, or the commit before.
base_commit() {
    local base
    base=$(git merge-base HEAD "${KERNTUNE_BASE:-origin/main}" 2>/dev/null)
    if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
        base=$(git rev-parse --verify --quiet HEAD~1) || base=$(git hash-object -t tree /dev/null)
    fi
    echo "$base"
}

tidy() {  # file names on standard input; those that the build does not compile are left out
    cmake --preset asan -B build/tidy "${clang[@]}" >/dev/null || return
    grep -E '\.cpp$' | { grep -F -x -f <(sed -n "s#.*\"file\": \"$PWD/\(.*\)\".*#\1#p" build/tidy/compile_commands.json) || true; } |
        xargs --no-run-if-empty -P "$jobs" -n 1 clang-tidy-19 -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error
}

stage_tidy() { git diff --name-only --diff-filter=d "$(base_commit)" | tidy; }
stage_tidy-all() { git ls-files | tidy; }

results=()
run_stage() {
    local name=$1 start=$SECONDS verdict=passed
    printf '\n==== %s\n' "$name"
    ("stage_$name") || verdict=FAILED  # what a stage exports is its own
    results+=("$(printf '%-12s %-7s %5d s' "$name" "$verdict" $((SECONDS - start)))")
    [ "$verdict" = passed ]
}

stages=()
for argument in "$@"; do
    case $argument in
        --ci) stages+=("${ci_stages[@]}") ;;
        -h | --help) usage; exit 0 ;;
        *)
            if ! declare -F "stage_$argument" >/dev/null; then
                echo "scripts/test.sh: there is no stage '$argument'; --help lists them" >&2
                exit 2
            fi
            stages+=("$argument")
            ;;
    esac
done
if [ $# -eq 0 ]; then
    stages=(unit)
fi
if has_gpu && { [ $# -eq 0 ] || [ "$1" = --ci ]; }; then
    stages+=(gpu)
fi

groups=(build test)
case " ${stages[*]} " in *' format '* | *' unit '* | *' tsan '* | *' cuda12 '* | *' fuzz '* | *' tidy'*) groups+=(ci) ;; esac
case " ${stages[*]} " in *' cuda12 '*) python3 -m pip --version >/dev/null 2>&1 || groups+=(fetch) ;; esac  # pip may come from elsewhere
ensure_packages "${groups[@]}" || exit

failed=0
for stage in "${stages[@]}"; do
    run_stage "$stage" || failed=1
done
printf '\n'
printf '%s\n' "${results[@]}"
printf '%-20s %5d s\n' total "$SECONDS"
exit "$failed"
