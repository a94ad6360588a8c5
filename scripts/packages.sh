# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The Debian packages that kerntune needs and why; docs/dependencies.md says why these and not others. Sourced by
# quickstart.sh and test.sh: ensure_packages GROUP... installs what is missing. For the bench preset, which neither of them
# builds: bash -c 'source scripts/packages.sh; ensure_packages build bench'.

# group  package  reason
kerntune_packages() {
    cat <<'LIST'
build  g++                  the C++20 compiler
build  cmake                configures the build
build  ninja-build          builds
build  mold                 links in a fraction of the time
build  ccache               does not compile the same twice
build  libcli11-dev         the command line
build  libfmt-dev           text formatting
build  libsqlite3-dev       the result store
build  nlohmann-json3-dev   JSON
build  libboost-dev         Boost.DLL (plugins), CRC
build  libexpected-dev      tl::expected
build  libmd-dev            SHA-256
build  zlib1g-dev           gzipped recordings
build  libjs-chart.js       charts of the report
test   libgtest-dev         unit tests
test   libgmock-dev         unit tests
test   python3              end-to-end tests and checks
test   binutils             readelf, for the checks of exported symbols
test   chromium             looks at the HTML report
bench  libbenchmark-dev     benchmarks
fetch  python3-pip          downloads CUDA 12.9's wheels, where there is no other pip
ci     git                  finds the changed files
ci     clang-19             fuzzers
ci     libclang-rt-19-dev   fuzzers and their sanitizers
ci     clang-format-19      the format check
ci     clang-tidy-19        the lint
LIST
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Prints "package reason" of what the groups lack.
missing_packages() {
    local group package reason
    while read -r group package reason; do
        case " $* " in
            *" $group "*) is_installed "$package" || echo "$package $reason" ;;
        esac
    done < <(kerntune_packages)
}

ensure_packages() {
    if ! command -v dpkg-query >/dev/null; then
        echo "not a Debian system: taking for granted what scripts/packages.sh lists" >&2
        return 0
    fi
    local missing
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    echo "installing from Debian, because they are missing:"
    sed -E 's/^([^ ]+) (.*)$/  \1: \2/' <<<"$missing"
    local names
    mapfile -t names < <(cut -d' ' -f1 <<<"$missing")
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying with the package lists that are there" >&2
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${names[@]}" >/dev/null; then
        echo "could not install ${names[*]}: install them by hand, then run this again" >&2
        return 3
    fi
}
