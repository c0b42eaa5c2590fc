"use strict";

/**
 * Returns the path of the vade program: that in the environment variable VADE_BINARY, or the one
 * in the optional package of this platform. Returns undefined if there is none.
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
