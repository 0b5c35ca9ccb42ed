// `npm run bundle`: builds both programs and makes the installers of this system, with a list of their checksums.
//
//   npm run bundle                     all installers that this system can make
//   npm run bundle -- deb rpm          only these
//   npm run bundle -- deb --debug      from the debug build, which takes less time; with --built from what is built
//
// The version comes from Cargo.toml. The command line program, manual pages and shell completions are staged in
// target/package, where src-tauri/tauri.bundle.json refers to them.

import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { has, run } from "./platform.mjs";
import { fail, setUp } from "./setup.mjs";

/** The installers of each system, in Tauri's names. */
const INSTALLERS = { linux: ["deb", "rpm", "appimage"], darwin: ["app", "dmg"], win32: ["msi", "nsis"] };
const STAGED = resolve("target/package");
const EXE = process.platform === "win32" ? ".exe" : "";

const debug = process.argv.includes("--debug");
const built = resolve(process.env.CARGO_TARGET_DIR ?? "target", debug ? "debug" : "release");
const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const known = INSTALLERS[process.platform] ?? fail(`No installer is known for ${process.platform}.`);
const unknown = named.find((word) => !known.includes(word));
if (unknown) {
  fail(`"${unknown}" cannot be made on this system; it makes ${known.join(", ")}.`);
}

setUp("build");
if (!process.argv.includes("--built")) {
  build();
}
stage();
const made = (named.length > 0 ? named : known).flatMap(bundle);
writeChecksums(made);

function build() {
  const steps = [
    ["npm", ["run", "--silent", "build", "--workspace", "ui"]],
    ["cargo", ["build", "--workspace", "--bins", ...(debug ? [] : ["--release"])]],
  ];
  for (const [program, words] of steps) {
    if (!run(program, words).ok) {
      fail("The build failed; the message stands above.");
    }
  }
}

// Stages what the installers bring beside the window: the command line program, its completions and manual pages.
function stage() {
  rmSync(STAGED, { recursive: true, force: true });
  ["completions", "man"].forEach((folder) => mkdirSync(join(STAGED, folder), { recursive: true }));
  const cli = join(built, `undertone${EXE}`);
  const host = /host: (\S+)/.exec(run("rustc", ["-vV"], { quiet: true }).output)?.[1] ?? fail("rustc does not name its host.");
  const copy = join(STAGED, `undertone-${host}${EXE}`);
  copyFileSync(cli, copy);
  chmodSync(copy, 0o755);
  if (process.platform !== "win32" && has("strip")) {
    run("strip", [copy], { quiet: true });
  }
  for (const [shell, file] of Object.entries({ bash: "undertone.bash", zsh: "_undertone", fish: "undertone.fish" })) {
    writeFileSync(join(STAGED, "completions", file), said(cli, ["completions", shell]));
  }
  const pages = join(STAGED, "man");
  said(cli, ["manual", pages]);
  for (const page of readdirSync(pages).map((name) => join(pages, name))) {
    writeFileSync(`${page}.gz`, gzipSync(readFileSync(page), { level: 9 }));
    rmSync(page);
  }
}

function said(program, words) {
  const answer = run(program, words, { quiet: true });
  return answer.ok ? answer.output : fail(`${basename(program)} ${words.join(" ")} failed.`);
}

// Each by itself: AppImage needs a tool from the network, and a system without it still makes the others.
function bundle(kind) {
  const folder = join(built, "bundle", kind === "app" ? "macos" : kind);
  rmSync(folder, { recursive: true, force: true });
  const words = ["bundle", "--bundles", kind, "--config", "src-tauri/tauri.bundle.json", ...(debug ? ["--debug"] : [])];
  const result = run("npx", ["tauri", ...words]);
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const installers = files.filter((file) => statSync(file).isFile() && /\.(deb|rpm|AppImage|dmg|msi|exe)$/.test(file));
  if (!result.ok && named.length > 0) {
    fail(`The ${kind} was not made; the message stands above.`);
  }
  if (!result.ok) {
    console.log(`No ${kind}: this system cannot make it; the message stands above.`);
  }
  return result.ok ? installers : [];
}

function writeChecksums(files) {
  if (files.length === 0) {
    fail("No installer was made.");
  }
  const lines = files.map((file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}`);
  const list = join(built, "bundle", "SHA256SUMS");
  writeFileSync(list, `${lines.join("\n")}\n`);
  files.forEach((file) => console.log(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)`));
  console.log(list);
}
