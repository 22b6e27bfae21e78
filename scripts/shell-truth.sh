#!/usr/bin/env bash
# Compares the shell analyser with a real Bash on all kept lines and on mutants of them.
#
#     scripts/shell-truth.sh [MUTANTS] [DICE]
#
# Needs Bash and the right to make a root folder of one's own (unshare, chroot), and fails without
# them. Nothing of these lines touches the machine: they run in a folder that holds Bash alone, without
# network. Lines of known programs, kept in crates/shell/src/truth/opened.txt, run beside them with the
# machine's own programs in a folder made for each; which files they open is compared.
set -euo pipefail
cd "$(dirname "$0")/.."
report=$(mktemp)
trap 'cat "$report"; rm -f "$report"' EXIT
POINTSMAN_TRUTH_REQUIRED=yes POINTSMAN_TRUTH_MUTANTS=${1:-10000} POINTSMAN_TRUTH_DICE=${2:-1} POINTSMAN_TRUTH_REPORT=$report \
    cargo test --release --package pointsman-shell truth
