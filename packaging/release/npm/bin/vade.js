#!/usr/bin/env node
"use strict";

const { spawnSync } = require("node:child_process");
const { program } = require("../program.js");

try {
  const result = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
  if (result.error) throw result.error;
  if (result.signal) process.kill(process.pid, result.signal);
  process.exitCode = result.status ?? 1;
} catch (error) {
  console.error(`vade: ${error.message}`);
  process.exitCode = 1;
}
