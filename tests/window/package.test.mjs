// The Debian package, made from the debug build: installed into a separate root, started, opened with the command of a
// double click, and removed again. The machine's packages are not touched.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const skip = spawnSync("dpkg", ["--version"]).error ? "dpkg is not installed" : false;
const version = /^version = "(.*)"$/m.exec(readFileSync("Cargo.toml", "utf8"))[1];

let folder;
let root;
let made;
let desktop;
let window;

before(() => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "undertone-package-"));
  root = join(folder, "root");
  mkdirSync(join(root, "var/lib/dpkg/updates"), { recursive: true });
  mkdirSync(join(root, "var/lib/dpkg/info"));
  writeFileSync(join(root, "var/lib/dpkg/status"), "");
  // Tauri marks the program it packs with the kind of package, so that it gets a copy.
  const built = join(folder, "target");
  mkdirSync(join(built, "debug"), { recursive: true });
  ["undertone", "undertone-app"].forEach((name) => {
    copyFileSync(join("target/debug", name), join(built, "debug", name));
    spawnSync("strip", [join(built, "debug", name)]);
  });
  const env = { ...process.env, CARGO_TARGET_DIR: built };
  run(process.execPath, ["scripts/bundle.mjs", "deb", "--debug", "--built"], { env });
  made = join(built, "debug/bundle");
});

after(async () => {
  await window?.close();
  desktop?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

function run(program, words, options = {}) {
  const result = spawnSync(program, words, { encoding: "utf8", ...options });
  assert.equal(result.status, 0, `${program} ${words.join(" ")}: ${result.error ?? ""}${result.stdout}${result.stderr}`);
  return result.stdout;
}

// dpkg gives files to root, which only root can do and fakeroot pretends to do.
function dpkg(...words) {
  const line = ["dpkg", `--root=${root}`, "--force-depends", "--force-not-root", `--log=${join(folder, "dpkg.log")}`, ...words];
  return process.getuid() === 0 ? run(line[0], line.slice(1)) : run("fakeroot", line);
}

const packages = () => readdirSync(join(made, "deb")).filter((name) => name.endsWith(".deb"));
const installed = (path) => join(root, path);
const desktopFile = () => installed("usr/share/applications/Undertone.desktop");
const entry = (key) => new RegExp(`^${key}=(.*)$`, "m").exec(readFileSync(desktopFile(), "utf8"))?.[1];

test("one package is made, with the version of Cargo.toml and its checksum", { skip }, () => {
  assert.deepEqual(packages().length, 1);
  const path = join(made, "deb", packages()[0]);
  assert.equal(run("dpkg-deb", ["--field", path, "Version"]).trim(), version);
  const sum = createHash("sha256").update(readFileSync(path)).digest("hex");
  assert.equal(readFileSync(join(made, "SHA256SUMS"), "utf8"), `${sum}  ${basename(path)}\n`);
});

test("it installs both programs, icon, manual pages and completions", { skip }, () => {
  dpkg("--install", join(made, "deb", packages()[0]));
  assert.match(dpkg("--status", "undertone"), /Status: install ok installed/);
  assert.match(run(installed("usr/bin/undertone"), ["--version"]), new RegExp(version.replaceAll(".", "\\.")));
  assert.ok(existsSync(installed(`usr/share/icons/hicolor/512x512/apps/${entry("Icon")}.png`)));
  for (const page of ["undertone", "undertone-process", "undertone-library-scan"]) {
    assert.match(gunzipSync(readFileSync(installed(`usr/share/man/man1/${page}.1.gz`))).toString(), /^\.TH/m);
  }
  const bash = installed("usr/share/bash-completion/completions/undertone");
  assert.match(run("bash", ["-c", `source "${bash}" && complete -p undertone`]), /undertone/);
  assert.match(readFileSync(installed("usr/share/zsh/vendor-completions/_undertone"), "utf8"), /^#compdef undertone/);
  assert.match(readFileSync(installed("usr/share/fish/vendor_completions.d/undertone.fish"), "utf8"), /complete -c undertone/);
});

test("it starts by its desktop entry's command and shows the file", { skip }, async () => {
  desktop = await startDesktop("1280x800");
  const recording = join(desktop.home, "first take.wav");
  writeTestTone(recording, 2);
  const [program, field] = entry("Exec").split(" ");
  assert.equal(field, "%F");
  window = await openApplication(desktop.env, installed(`usr/bin/${program}`), [recording]);
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 30_000, "the waveform");
});

// GLib expands the entry as a file manager does. The second start hands its file to the window that is open.
test("a double click brings a recording into the open window", { skip }, async () => {
  const recording = join(desktop.home, "zweite Aufnahme.wav");
  writeTestTone(recording, 2);
  const script = [
    "import gi, sys",
    "from gi.repository import Gio",
    "entry = Gio.DesktopAppInfo.new_from_filename(sys.argv[1])",
    "assert 'audio/flac' in entry.get_supported_types()",
    "assert entry.launch([Gio.File.new_for_path(sys.argv[2])], None)",
  ];
  const env = { ...desktop.env, PATH: `${installed("usr/bin")}:${process.env.PATH}` };
  run("/usr/bin/python3", ["-c", script.join("\n"), desktopFile(), recording], { env });
  const names = () => window.run(`return [...document.querySelectorAll('[role="tab"]')].map((tab) => tab.textContent).join("|")`);
  await until(async () => /zweite Aufnahme/.test(await names()), 20_000, "the second recording");
});

test("it is removed without a trace", { skip }, async () => {
  await window.close();
  window = null;
  dpkg("--remove", "undertone");
  assert.ok(!existsSync(installed("usr")));
});
