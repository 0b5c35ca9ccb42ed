// `npm test`: sets the machine up and tests everything: the core, shaders on a software Vulkan adapter, the command
// line, the interface, and the real window under a virtual display. Arguments select steps by name. Steps that use one
// core run in parallel. Ends with one line per step, with its time.
//
// `npm run test:long`: what takes minutes to hours, of which `npm test` takes a sample; `-- --list` says what it is for.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setUp } from "./setup.mjs";

const linux = process.platform === "linux";
/** The dependencies whose licences were last checked. */
const CHECKED = "scripts/licences-checked";

// Tests use the software adapter and their own runtime folder. A missing GPU or sound server is a failure.
function environment() {
  // Incremental compilation makes a first build a tenth slower, and what was built without it is built again with it. It
  // is used where an earlier build has used it: cargo makes the folder in any case.
  const folder = "target/debug/incremental";
  const compilation = existsSync(folder) && readdirSync(folder).length > 0 ? {} : { CARGO_INCREMENTAL: "0" };
  if (!linux) {
    return { ...process.env, ...compilation };
  }
  const drivers = "/usr/share/vulkan/icd.d";
  const lavapipe = readdirSync(drivers).find((name) => name.startsWith("lvp_icd"));
  return {
    ...process.env,
    ...compilation,
    WGPU_BACKEND: "vulkan",
    VK_DRIVER_FILES: join(drivers, lavapipe),
    XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), "undertone-run-")),
    UNDERTONE_REQUIRE_GPU: "1",
    UNDERTONE_REQUIRE_SOUND: "1",
    UNDERTONE_REQUIRE_SERVER: "1",
  };
}

const npm = (script) => ["npm", "run", "--silent", script, "--workspace", "ui"];
// The same features everywhere, so that nothing is compiled twice.
const cargo = (command, ...words) => ["cargo", command, "--workspace", "--features", "bindings", "--quiet", ...words];
const test = (...words) => cargo("test", "--no-fail-fast", ...words);

// The library's tests again, with the libraries that they make on a PostgreSQL server instead of in files.
function onServer() {
  return linux ? [["env", "UNDERTONE_TEST_SERVER=1", ...test("--test", "library", "--", "scan::", "files::", "database::")]] : [];
}

// The commands of a step run in sequence. The lanes of a group run in parallel, the steps of a lane in sequence.
const steps = {
  // The window's crate needs the built interface, so this step comes before all that compile.
  build: [npm("build")],
  interface: [npm("check"), npm("test")],
  format: [["cargo", "fmt", "--all", "--check"]],
  lints: [cargo("clippy", "--all-targets", "--", "-D", "warnings")],
  compile: [cargo("test", "--no-run"), cargo("build", "--bins")],
  // Playback mostly waits for the clock, and fuzzing runs case by case.
  slow: [test("--test", "playback"), test("--test", "fuzz")],
  core: [test("--lib", "--bins"), test("--doc"), ...["app", "library", "kernels", "audio", "analysis", "neural", "chain", "view"].map((name) => test("--test", name)), ...onServer()],
  licences: licences(),
  // One file at a time: beside another, the web view's own process crashes now and then.
  window: linux ? [["node", "--test", "--test-concurrency=1", "tests/window/"]] : "the window's test drives WebKitGTK, which is Linux only",
};
// In each step what `npm test` has a small sample of runs at length.
const long = {
  faces: ["every effect in every place of a chain, through every face", ["UNDERTONE_FACES=all"], test("--test", "app", "faces::")],
  "at-once": ["a hundred rounds of eight processes that change a library, tags, settings or a session at one instant", ["UNDERTONE_AT_ONCE=100"], test("--test", "library", "at_once::")],
  kills: ["200 kills of an export, a batch, a scan and a session at work", ["UNDERTONE_KILLS=200"], test("--test", "library", "kill::")],
  machines: ["2000 files scanned by several machines that are killed, on a server that restarts", ["UNDERTONE_SCANNED=2000", "UNDERTONE_KILLED=50", "UNDERTONE_RESTARTED=5"], test("--test", "library", "server::")],
  flac: ["100,000 random FLAC streams, judged by flac -t", ["UNDERTONE_FLAC_STREAMS=100000"], test("--test", "audio", "flac::")],
  mpeg: ["20,000 random streams of MPEG audio, judged by mpg123", ["UNDERTONE_MPEG_STREAMS=20000"], test("--test", "audio", "mpeg::")],
  aac: ["5,000 random streams of AAC in three to eight channels, judged by ffmpeg", ["UNDERTONE_AAC_STREAMS=5000"], test("--test", "audio", "aac::")],
  alignment: ["500 versions and 500 codings aligned, and parts of long recordings found", [], test("--test", "analysis", "compare::", "--", "--ignored")],
  soak: ["90 minutes of playback and recording while outputs come and go, ten hours into a virtual output", ["UNDERTONE_SOAK_MINUTES=90", "UNDERTONE_SOAK_HOURS=10"], test("--lib", "--test", "playback", "soak")],
  files: ["100,000 files of every container and kind of tag, damaged in their structure", ["UNDERTONE_FUZZ_CASES=100000"], test("--test", "fuzz", "structure::", "--", "--nocapture")],
  fuzz: ["an hour of generated files, chains, projects and messages", [], ["node", "scripts/fuzz.mjs", "--hours", "1"]],
  pictures: ["the documents' pictures made again, and compared with what is there", [], cargo("build", "--bins"), ["node", "scripts/pictures.mjs", "--check"]],
  opus: ["half an hour of generated packets through libopus, under sanitizers", [], ["node", "scripts/fuzz-opus.mjs", "--minutes", "30"]],
};

// The window's tests and playback mostly wait, so the core's run beside them. These give way, so that neither becomes slow.
const groups = [[["build"]], [["interface"], ["format", "lints", "compile"]], [["slow"], ["licences", "core"], ["window"]]];
const GIVES_WAY = ["core"];
// Without these nothing after them can run: every test of the window would wait for its own limit.
const NEEDED = ["build", "compile"];

// cargo-deny takes minutes to compile, and its answer depends only on these files. Advisories change independently and
// are checked by the hosted workflow.
function licences() {
  const hash = createHash("sha256");
  ["Cargo.lock", "deny.toml"].forEach((name) => hash.update(readFileSync(name)));
  const now = hash.digest("hex");
  const asked = process.argv.includes("licences");
  if (!asked && existsSync(CHECKED) && readFileSync(CHECKED, "utf8").trim() === now) {
    return "checked for these dependencies";
  }
  const deny = resolve("target/tools/bin/cargo-deny");
  const install = existsSync(deny) ? [] : [["cargo", "install", "cargo-deny", "--locked", "--quiet", "--root", "target/tools"]];
  return [...install, [deny, "--workspace", "check", "licenses", "bans", "sources"], () => writeFileSync(CHECKED, `${now}\n`)];
}

/**
 * Runs a command. Returns whether it succeeded, and its output. With `shown`, the output is shown immediately instead; with
 * `givesWay` it leaves the processor to others.
 */
function run([program, ...args], env, { shown, givesWay }) {
  const shell = process.platform === "win32" && program === "npm";
  const child = spawn(program, args, { env, shell, stdio: shown ? "inherit" : ["ignore", "pipe", "pipe"] });
  if (givesWay && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
  const said = [];
  child.stdout?.on("data", (bytes) => said.push(bytes));
  child.stderr?.on("data", (bytes) => said.push(bytes));
  return new Promise((done) => {
    child.on("error", (error) => done({ ok: false, said: `${program}: ${error.message}\n` }));
    child.on("close", (code) => done({ ok: code === 0, said: Buffer.concat(said).toString() }));
  });
}

async function runStep(name, env, shown) {
  const commands = steps[name] ?? [];
  const started = Date.now();
  let outcome = steps[name] === undefined ? false : typeof commands === "string" ? commands : true;
  const said = [];
  for (const command of typeof commands === "string" ? [] : commands) {
    if (typeof command === "function") {
      command();
      continue;
    }
    const result = await run(command, env, { shown, givesWay: !shown && GIVES_WAY.includes(name) });
    said.push(result.said);
    outcome &&= result.ok;
    // Later commands of `core` and `slow` still run after a failure. In other steps they depend on the failed one.
    if (!result.ok && name !== "core" && name !== "slow") {
      break;
    }
  }
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  const word = outcome === true ? "passed" : outcome === false ? "FAILED" : `skipped: ${outcome}`;
  console.log(`\n== ${name}: ${word} (${seconds} s)`);
  // The output of a failed step is shown at the end, where it is looked for.
  if (outcome !== false) {
    process.stdout.write(said.join(""));
  }
  return { name, outcome, said: said.join(""), line: `${name.padEnd(10)} ${word} (${seconds} s)` };
}

const asked = process.argv.slice(2);
const isLong = asked.includes("--long");
if (asked.includes("--list")) {
  Object.entries(long).forEach(([name, [about]]) => console.log(`${name.padEnd(10)} ${about}`));
  process.exit(0);
}
setUp("test");
if (isLong) {
  Object.entries(long).forEach(([name, [, variables, ...commands]]) => (steps[name] = commands.map((command) => (variables.length > 0 ? ["env", ...variables, ...command] : command))));
}
const chosen = asked.filter((word) => word !== "--long");
const wanted = chosen.length > 0 || isLong ? (chosen.length > 0 ? chosen : Object.keys(long)).map((name) => [[name]]) : groups;
const env = environment();
const outcomes = [];
const started = Date.now();
for (const group of wanted) {
  const lanes = group.map(async (names) => {
    for (const name of names) {
      outcomes.push(await runStep(name, env, group.length === 1));
    }
  });
  await Promise.all(lanes);
  if (outcomes.some(({ name, outcome }) => outcome === false && NEEDED.includes(name))) {
    break;
  }
}
const failures = outcomes.filter(({ outcome }) => outcome === false);
failures.forEach(({ name, said }) => console.log(`\n== ${name}\n${said}`));
console.log();
outcomes.forEach(({ line }) => console.log(line));
const failed = failures.length;
const skipped = outcomes.filter(({ outcome }) => typeof outcome === "string").length;
const minutes = ((Date.now() - started) / 60_000).toFixed(1);
console.log(`${outcomes.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped in ${minutes} min`);
process.exit(failed > 0 ? 1 : 0);
