// `npm test`: sets up and tests everything - core, shaders on a software Vulkan adapter, command line, interface, and
// the real window under a virtual display. Names given as arguments choose steps; the end is one line a step.

import { mkdtempSync, existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "./platform.mjs";
import { setUp } from "./setup.mjs";

const linux = process.platform === "linux";

// Tests use the software adapter and a runtime folder of their own, and miss neither GPU nor sound in silence.
function environment() {
  if (!linux) {
    return process.env;
  }
  const drivers = "/usr/share/vulkan/icd.d";
  const lavapipe = readdirSync(drivers).find((name) => name.startsWith("lvp_icd"));
  return {
    ...process.env,
    WGPU_BACKEND: "vulkan",
    VK_DRIVER_FILES: join(drivers, lavapipe),
    XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), "undertone-run-")),
    UNDERTONE_REQUIRE_GPU: "1",
    UNDERTONE_REQUIRE_SOUND: "1",
  };
}

const steps = {
  interface: () => npm("build") && npm("check") && npm("test"),
  format: () => run("cargo", ["fmt", "--all", "--check"]).ok,
  // Programs may not unwrap; tests say what they expect by failing.
  lints: (env) =>
    run("cargo", ["clippy", "--workspace", "--lib", "--bins", "--quiet", "--", "-D", "warnings"], { env }).ok &&
    run("cargo", ["clippy", "--workspace", "--tests", "--benches", "--quiet", "--", "-D", "warnings", "-A", "clippy::unwrap_used"], { env }).ok,
  core: (env) => run("cargo", ["test", "--workspace", "--quiet", "--no-fail-fast"], { env }).ok,
  // Advisories need the advisory database from the network; the workflow checks them.
  licences: () => {
    const deny = tool("cargo-deny");
    return deny !== null && run(deny, ["--workspace", "check", "licenses", "bans", "sources"]).ok;
  },
  window: (env) => (linux ? windowTest(env) : "the window's test drives WebKitGTK, which is Linux only"),
};

function npm(script) {
  return run("npm", ["run", "--silent", script, "--workspace", "ui"]).ok;
}

function windowTest(env) {
  const driver = tool("tauri-driver");
  const ready = driver !== null && run("cargo", ["build", "--workspace", "--bins"], { env }).ok;
  return ready && run("node", ["--test", "tests/window/"], { env: { ...env, TAURI_DRIVER: driver } }).ok;
}

// A program that only the tests need, built once into the build folder.
function tool(name) {
  const program = resolve("target/tools/bin", name);
  const install = ["install", name, "--locked", "--quiet", "--root", "target/tools"];
  return existsSync(program) || run("cargo", install).ok ? program : null;
}

setUp("test");
const chosen = process.argv.slice(2);
const names = chosen.length > 0 ? chosen : Object.keys(steps);
const env = environment();
const outcomes = [];
for (const name of names) {
  console.log(`\n== ${name}`);
  const started = Date.now();
  const outcome = steps[name] ? steps[name](env) : false;
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  outcomes.push({ name, outcome, seconds });
}
console.log();
for (const { name, outcome, seconds } of outcomes) {
  const word = outcome === true ? "passed" : outcome === false ? "FAILED" : `skipped: ${outcome}`;
  console.log(`${name.padEnd(10)} ${word} (${seconds} s)`);
}
const failed = outcomes.filter(({ outcome }) => outcome === false).length;
const skipped = outcomes.filter(({ outcome }) => typeof outcome === "string").length;
console.log(`${outcomes.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed > 0 ? 1 : 0);
