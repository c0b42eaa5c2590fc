#!/bin/sh
# Usage: run.sh [--check]
# With --check, report whether the script can run, and change nothing.
set -eu

# The programs that this script requires.
needs="sed"

for program in $needs; do
	if ! command -v "$program" >/dev/null 2>&1; then
		echo "missing: $program" >&2
		exit 1
	fi
done
if [ "${1:-}" = "--check" ]; then
	echo "ready"
	exit 0
fi

# Do the work here. Print each result, and exit with a nonzero status on failure.
echo "not implemented yet"
