#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_exports.sh PLUGIN.so...: fails unless each exports kerntune_plugin_entry_v1 and nothing else.
set -eu
entry=kerntune_plugin_entry_v1
status=0
for plugin in "$@"; do
  exported=$("${NM:-nm}" -D --defined-only "$plugin" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u)
  if [ "$exported" = "$entry" ]; then continue; fi
  status=1
  echo "check exports of '$plugin': expected $entry and nothing else, found:" >&2
  echo "${exported:-(nothing)}" | head -n 20 | sed 's/^/  /' >&2
  echo "  link with the SDK's kerntune_plugin.map (kerntune_add_plugin does), and export the entry with KERNTUNE_EXPORT" >&2
done
exit $status
