// `node scripts/fuzz.mjs --hours N [--seed S] [TARGET...]`: runs the fuzz targets for hours. Each target of
// `tests/fuzz` runs in its own process, in turn, with new seeds. A failure is printed with the command that reproduces
// it, and the run continues. Ends with a table of cases per target.

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { hours: { type: "string", default: "1" }, seed: { type: "string" }, turn: { type: "string", default: "60" } },
  allowPositionals: true,
});
const hours = Number(values.hours);
const turnSeconds = Number(values.turn);
if (!(hours > 0) || !(turnSeconds > 0)) {
  console.error("usage: node scripts/fuzz.mjs --hours N [--turn SECONDS] [--seed S] [TARGET...]");
  process.exit(2);
}

const program = build();
const targets = list(program).filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
if (targets.length === 0) {
  console.error(`no target of that name; there are ${list(program).join(", ")}`);
  process.exit(2);
}
// The seeds of the test suite start at 1. Those of a run start at the current time unless given.
let seed = values.seed === undefined ? Math.floor(Date.now() / 1000) : Number(values.seed);
const keep = mkdtempSync(join(tmpdir(), "undertone-fuzz-"));
const totals = new Map(targets.map((name) => [name, { cases: 0, seconds: 0, failures: 0 }]));
const end = Date.now() + hours * 3_600_000;
console.log(`${targets.length} targets for ${hours} h; the case in hand lies in ${keep}`);

for (let round = 0; Date.now() < end; round += 1) {
  const target = targets[round % targets.length];
  const total = totals.get(target);
  const seconds = Math.max(1, Math.min(turnSeconds, Math.ceil((end - Date.now()) / 1000)));
  const environment = { UNDERTONE_FUZZ_SECONDS: String(seconds), UNDERTONE_FUZZ_SEED: String(seed) };
  const started = Date.now();
  const result = spawnSync(program, [target, "--exact", "--nocapture"], {
    encoding: "utf8",
    env: { ...process.env, ...environment, UNDERTONE_FUZZ_KEEP: keep },
    maxBuffer: 1 << 28,
  });
  total.seconds += (Date.now() - started) / 1000;
  for (const [, cases] of result.stdout.matchAll(/^fuzz \S+: (\d+) cases/gm)) {
    total.cases += Number(cases);
  }
  if (result.status !== 0) {
    total.failures += 1;
    const repeat = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    console.log(`\nFAILED ${target} (${result.signal ?? `exit ${result.status}`}); again: ${repeat.join(" ")} cargo test --test fuzz ${target}`);
    console.log(`${result.stdout}\n${result.stderr}`.split("\n").slice(-30).join("\n"));
  }
  seed += 1;
}

console.log();
let cases = 0;
let failures = 0;
for (const [name, total] of totals) {
  console.log(`${name.padEnd(44)} ${String(total.cases).padStart(10)} cases ${total.seconds.toFixed(0).padStart(7)} s ${total.failures} failures`);
  cases += total.cases;
  failures += total.failures;
}
console.log(`${cases} cases, ${failures} failures`);
process.exit(failures > 0 ? 1 : 0);

/** Builds the test program and returns its path. */
function build() {
  const args = ["test", "--test", "fuzz", "--no-run", "--message-format", "json"];
  const built = spawnSync("cargo", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
  const paths = built.stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.executable && message.target?.name === "fuzz")
    .map((message) => message.executable);
  if (built.status !== 0 || paths.length === 0) {
    process.exit(1);
  }
  return paths[0];
}

function list(program) {
  const listed = spawnSync(program, ["--list", "--format", "terse"], { encoding: "utf8" });
  return [...listed.stdout.matchAll(/^(.+): test$/gm)].map((match) => match[1]);
}
