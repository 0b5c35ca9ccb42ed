// `npm start`: sets the machine up, builds the window's program, and opens it with the demo recording or the given files.
// Without a display it builds the command line instead.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { run } from "./platform.mjs";
import { fail, setUp } from "./setup.mjs";

setUp("build");
// The program contains the interface. An unchanged interface is not rebuilt, because that would rebuild the program
// too.
if (isStale() && !run("npm", ["run", "--silent", "build", "--workspace", "ui"]).ok) {
  fail("The interface did not build; the message stands above.");
}
const hasDisplay = process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
// With `--workspace` both programs share what is compiled of their dependencies.
if (!run("cargo", ["build", "--profile", "start", "--workspace", "--bin", hasDisplay ? "undertone-app" : "undertone"]).ok) {
  fail("The program did not build; the message stands above.");
}
if (!hasDisplay) {
  console.log(
    "There is no display here, so the window was not built. The command line does everything without one:\n" +
      "  target/start/undertone --help\n" +
      "  target/start/undertone process IN.wav -o OUT.wav -c 'highpass(80 Hz) | peaking(1 kHz, q=1, gain=3 dB)'",
  );
} else {
  const files = process.argv.slice(2);
  const program = join(process.env.CARGO_TARGET_DIR ?? "target", "start", "undertone-app");
  const result = spawnSync(program, files.length > 0 ? files : ["--demo"], { stdio: "inherit" });
  if (result.error) {
    fail(`The window did not start: ${result.error.message}`);
  }
  process.exit(result.status ?? 1);
}

/** Returns whether the built interface is older than its sources. */
function isStale() {
  const built = "ui/dist/index.html";
  const parts = ["ui/src", "ui/index.html", "ui/package.json", "ui/vite.config.ts", "package-lock.json"];
  return !existsSync(built) || Math.max(...parts.map(newest)) > statSync(built).mtimeMs;
}

function newest(path) {
  if (!existsSync(path)) return 0;
  const found = statSync(path);
  const inside = found.isDirectory() ? readdirSync(path).map((name) => newest(join(path, name))) : [];
  return Math.max(found.mtimeMs, ...inside);
}
