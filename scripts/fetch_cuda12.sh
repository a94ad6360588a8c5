#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches what kerntune needs of CUDA 12.9 and lays it out as a toolkit: to build and to compile kernels for V100 (sm_70),
# which CUDA 13 no longer knows, beside another toolkit and without root.
#   scripts/fetch_cuda12.sh PREFIX
#   CUDA_HOME=PREFIX cmake --preset dev -B build/cuda12
# The parts come from PyPI as NVIDIA's wheels, by release and SHA-256: NVRTC, CUPTI, and the headers of the runtime, crt, NVML,
# NVTX and the C++ core libraries. 148 MB are downloaded, 175 MB stay in PREFIX. There is no nvcc among them: host code and
# source kernels need none; callables in .cu files need CUDA 13's.
# PREFIX must not exist, be empty or be a former result, which is left alone if it is complete and replaced if it is not.
# Linux on x86-64; needs python3 with pip. Exit code: 0 if PREFIX holds the toolkit, 2 for a wrong call, 3 if it could not be made.
set -euo pipefail

usage() { sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }

# What pip checks each file against.
requirements() {
    cat <<'LIST'
nvidia-cuda-nvrtc-cu12==12.9.86 --hash=sha256:210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4
nvidia-cuda-cupti-cu12==12.9.79 --hash=sha256:096bcf334f13e1984ba36685ad4c1d6347db214de03dbb6eebb237b41d9d934f
nvidia-cuda-runtime-cu12==12.9.79 --hash=sha256:25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3
nvidia-cuda-nvcc-cu12==12.9.86 --hash=sha256:5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0
nvidia-cuda-cccl-cu12==12.9.27 --hash=sha256:37869e17ce2e1ecec6eddf1927cca0f8c34e64fd848d40453df559091e2d7117
nvidia-nvml-dev-cu12==12.9.79 --hash=sha256:8bb367913c62cb65be9ae386c58dbf573f1f9e2f01cae54abb87bf5f63c6069e
nvidia-nvtx-cu12==12.9.79 --hash=sha256:fec150986817f2b4e7eed72ed059f2dcb9ba3856b9a96134e448eac946a6952f
LIST
}

fail() { echo "scripts/fetch_cuda12.sh: $*" >&2; exit 3; }

# The stamp is written last, so whoever finds it finds all the rest.
is_complete() { [ "$(cat "$1/$stamp" 2>/dev/null)" = "$(requirements)" ]; }

check_prefix() {
    [ ! -e "$1" ] && return
    [ -d "$1" ] || fail "'$1' is no folder; choose another prefix"
    [ -z "$(ls -A "$1")" ] || [ -e "$1/$stamp" ] || fail "'$1' holds something else; choose another prefix, or remove it"
}

check_machine() {
    [ "$(uname -sm)" = "Linux x86_64" ] || fail "the pinned files are for Linux on x86_64, this is $(uname -sm); install NVIDIA's CUDA 12.9 packages instead"
    python3 -m pip --version >/dev/null 2>&1 || fail "downloading needs python3 with pip ('python3 -m pip' does not work); on Debian: apt-get install python3-pip"
}

download() {  # folder
    requirements >"$1/requirements.txt"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --dest "$1" --requirement "$1/requirements.txt" >"$1/pip.log" 2>&1 && return
    tail -n 5 "$1/pip.log" >&2
    fail "pip could not download the parts listed in scripts/fetch_cuda12.sh; it needs PyPI, or a mirror of it in PIP_INDEX_URL, and files with the expected SHA-256"
}

# Headers and the libraries that are opened at run time. Left out: second variants of NVRTC (the .alt files), static
# libraries, ptxas and libnvvm.
unpack() {  # folder of wheels, prefix
    python3 - "$1" "$2" <<'PYTHON'
import pathlib, re, sys, zipfile

WANTED = re.compile(r"nvidia/[^/]+/(include/.+|lib/lib(nvrtc|nvrtc-builtins|cupti|nvperf_host|nvperf_target|cudart)\.so[0-9.]*)$")
LICENSE = re.compile(r"([^/]+)\.dist-info/(licenses/)?License\.txt$")
wheels, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for wheel in sorted(wheels.glob("*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(("/", "__init__.py")):
                continue
            if wanted := WANTED.match(name):
                target = prefix / re.sub("^lib/", "lib64/", wanted[1])
            elif license := LICENSE.match(name):
                target = prefix / "licenses" / (license[1] + ".txt")
            else:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(name))
PYTHON
}

# As in NVIDIA's own toolkit: a plain name beside each versioned one, and lib beside lib64.
link_libraries() {  # prefix
    local library
    for library in "$1"/lib64/*.so.*; do
        ln -s "$(basename "$library")" "${library%%.so.*}.so"
    done
    ln -s lib64 "$1/lib"
}

check_result() {  # prefix
    local file
    for file in include/{cuda.h,nvrtc.h,cuda_fp16.h,cupti_range_profiler.h,nvml.h,crt/host_defines.h,cuda/std/cstdint,nvtx3/nvtx3.hpp} \
        lib64/{libnvrtc.so.12,libnvrtc-builtins.so.12.9,libcupti.so.12,libnvperf_host.so}; do
        [ -s "$1/$file" ] || fail "the wheels hold no $file where it was expected; they differ from what scripts/fetch_cuda12.sh was written for"
    done
}

case ${1:-} in
    -h | --help) usage; exit 0 ;;
esac
if [ $# -ne 1 ] || [ -z "$1" ]; then
    echo "usage: scripts/fetch_cuda12.sh PREFIX; --help says more" >&2
    exit 2
fi
prefix=$(realpath -m "$1")
stamp=.kerntune-cuda12
if is_complete "$prefix"; then
    echo "CUDA 12.9 is in $prefix"
    exit 0
fi
check_prefix "$prefix"
check_machine
mkdir -p "$(dirname "$prefix")" || fail "cannot make the folder that '$prefix' goes into"
# Beside the prefix, so that it moves there in one step.
scratch=$(mktemp -d "$prefix.XXXXXX") || fail "cannot write beside '$prefix'"
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/wheels" "$scratch/toolkit"
echo "downloading the parts of CUDA 12.9 from PyPI (148 MB)"
download "$scratch/wheels"
unpack "$scratch/wheels" "$scratch/toolkit"
link_libraries "$scratch/toolkit"
check_result "$scratch/toolkit"
requirements >"$scratch/toolkit/$stamp"
chmod 755 "$scratch/toolkit"
rm -rf "$prefix"
mv "$scratch/toolkit" "$prefix"
echo "CUDA 12.9 is in $prefix ($(du -sh "$prefix" | cut -f1)); build against it with CUDA_HOME=$prefix"
