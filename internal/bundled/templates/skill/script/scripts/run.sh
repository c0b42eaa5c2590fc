#!/bin/sh
# Usage: run.sh [--check]
# With --check it reports whether it could run, and changes nothing.
set -eu

# The programs that this script needs.
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

# The work goes here. Print what is done, and exit with a nonzero status on failure.
echo "nothing to do yet"
