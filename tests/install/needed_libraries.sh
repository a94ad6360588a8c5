#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# needed_libraries.sh PROGRAM: fails if it needs a shared library that production machines are not promised to have.
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
extra=$(printf '%s\n' "$needed" | grep -Ev '^(libsqlite3|libstdc\+\+|libm|libgcc_s|libc|libpthread|ld-linux[^.]*)\.so' || true)
if [ -n "$extra" ]; then
  echo "needed libraries of '$1': expected libsqlite3 and the C++ runtime only, found also:" $extra >&2
  exit 1
fi
