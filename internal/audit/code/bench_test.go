package code

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/audit/signal/signaltest"
)

// ordinaryScript resembles the scripts found in real skills.
const ordinaryScript = `#!/usr/bin/env python3
"""Summarize a report."""
import argparse
import json
import os
import sys
from pathlib import Path

import requests

API = "https://api.quietmoth.dev/v1"


class Client:
    def __init__(self, key, timeout=30):
        self.key = key
        self.timeout = timeout
        self.session = requests.Session()

    def get(self, path, **params):
        response = self.session.get(f"{API}/{path}", params=params, headers={"Authorization": f"Bearer {self.key}"}, timeout=self.timeout)
        response.raise_for_status()
        return response.json()


def load(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def summarize(rows, limit=10):
    counts = {}
    for row in rows:
        name = row.get("name", "unknown")
        counts[name] = counts.get(name, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return [f"{name}: {count}" for name, count in ordered[:limit]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--output", default="report.md")
    args = parser.parse_args()
    key = os.environ.get("QUIETMOTH_API_KEY")
    if not key:
        sys.exit("set QUIETMOTH_API_KEY")
    client = Client(key)
    rows = load(args.path)
    lines = summarize(rows)
    for line in lines:
        print(line)
    details = client.get("details", count=len(rows))
    Path(args.output).write_text("\n".join(lines + [json.dumps(details)]))


if __name__ == "__main__":
    main()
`

func BenchmarkOrdinary(b *testing.B) {
	b.SetBytes(int64(len(ordinaryScript)))
	for b.Loop() {
		signaltest.Extract(signaltest.Region("report.py", signal.Code, "py", ordinaryScript), New())
	}
}

// TestOrdinary checks that an ordinary script produces no suspicious signals.
func TestOrdinary(t *testing.T) {
	got := signalsOf("py", ordinaryScript)
	for _, kind := range [...]string{" run ", " obfuscated ", " sabotage ", " weaken ", " connect ", " delete "} {
		if strings.Contains(got, kind) {
			t.Errorf("%s in:\n%s", kind, got)
		}
	}
}
