#!/usr/bin/env node
"use strict";

const { spawnSync } = require("node:child_process");
const { program } = require("../program.cjs");

try {
  const file = program();
  if (!file) {
    throw new Error(
      `the package @vadehq/vade-${process.platform}-${process.arch} is not installed. If Vade supports this ` +
        "platform, reinstall @vadehq/vade without --omit=optional, or set VADE_BINARY to the path of a vade program",
    );
  }
  const result = spawnSync(file, process.argv.slice(2), { stdio: "inherit" });
  if (result.error) throw result.error;
  if (result.signal) process.kill(process.pid, result.signal);
  process.exitCode = result.status ?? 1;
} catch (error) {
  console.error(`vade: ${error.message}`);
  process.exitCode = 1;
}
