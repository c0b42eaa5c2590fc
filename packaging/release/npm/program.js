"use strict";

/**
 * Returns the path of the vade program: that in the environment variable VADE_BINARY, or the one
 * in the optional package of this platform. Throws an error that says how to install it.
 */
function program() {
  if (process.env.VADE_BINARY) return process.env.VADE_BINARY;
  const name = `@vadehq/vade-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "vade.exe" : "vade";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    throw Object.assign(
      new Error(
        `the package ${name} is not installed. If Vade supports this platform, reinstall ` +
          `@vadehq/vade without --omit=optional, or set VADE_BINARY to the path of a vade program`,
      ),
      { code: "VADE_NO_PROGRAM" },
    );
  }
}

module.exports = { program };
