#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails if a tracked file holds an absolute path of somebody's machine: it works there only, or tells what concerns nobody.
set -u
cd "$(dirname "$0")/.." || exit
roots='home|root|Users|work|farm|workspace|scratch'
found=$(git grep -nIE "(^|[^A-Za-z0-9_./-])/($roots)/" -- . ':!scripts/check_names.sh')
[ -z "$found" ] && exit 0
echo "paths of somebody's machine in tracked files; use paths relative to the repository, or /path/to/ in examples:"
echo "$found"
exit 1
