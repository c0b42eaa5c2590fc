"use strict";

/**
 * Returns the path of the vade program: the path in the environment variable VADE_BINARY, or else
 * the program in the optional package for this platform. Returns undefined if neither exists.
 *
 * @returns {string | undefined}
 */
function program() {
  if (process.env.VADE_BINARY) return process.env.VADE_BINARY;
  const file = process.platform === "win32" ? "vade.exe" : "vade";
  try {
    return require.resolve(`@vadehq/vade-${process.platform}-${process.arch}/bin/${file}`);
  } catch {
    return undefined;
  }
}

module.exports = { program };
