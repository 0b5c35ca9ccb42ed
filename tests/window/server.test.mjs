// The library of a server in the real window: its password, tracks that another machine finds, folders that are elsewhere.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { startPostgres } from "./postgres.mjs";
import { writeSong } from "./songs.mjs";

const application = resolve("target/debug/undertone-app");
const commandLine = resolve("target/debug/undertone");
const pictures = resolve("tests/out/window");
const PASSWORD = "open:sesame";

let desktop;
let window;
let server;
let elsewhere;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  server = await startPostgres(PASSWORD);
  if (!server) return;
  desktop = await startDesktop("1920x1080");
  elsewhere = join(desktop.home, "elsewhere");
  mkdirSync(elsewhere);
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
});

after(async () => {
  await window?.close();
  await server?.stop();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `server-${name}.png`));
const withServer = (name, run) => test(name, async (context) => (server ? run() : context.skip("PostgreSQL is not installed")));
const shows = (words) => window.run(`return document.body.textContent.includes(${JSON.stringify(words)})`);
const focused = () => window.run(`return document.activeElement?.dataset?.testid ?? null`);
const rows = () => window.run(`return document.querySelectorAll('[data-testid="track-table"] [aria-selected]').length`);

async function settings() {
  await window.run("document.activeElement?.blur()");
  await window.press("Control", ",");
  await window.find("settings");
}

async function give(password) {
  await window.run(`const field = document.querySelector('[data-testid="library-password-field"]'); field.focus(); field.select()`);
  await window.type("library-password-field", password);
  await window.press("Enter");
}

withServer("a server that is named in the settings asks for its password on the library's page", async () => {
  await window.find("empty-state");
  await settings();
  await window.run(`document.querySelector('[data-testid="settings-library-server"]').focus()`);
  await window.press("Control", "a");
  await window.type("settings-library-server", server.address);
  await window.press("Enter");
  await window.find("settings-library-read-only");
  await picture("01-settings");
  await window.press("Escape");
  await window.press("Control", "2");
  await window.find("library-password");
  assert.equal(await shows("wants the password of locked"), true);
  assert.equal(await focused(), "library-password-field", "it can be typed at once");
  await picture("02-password");
});

withServer("a wrong password is told and typed anew, and the right one opens the library", async () => {
  await give("wrong");
  await until(() => shows("refused the password"), 20_000, "the refusal");
  assert.equal(await focused(), "library-password-field");
  await picture("03-refused");
  await give(PASSWORD);
  await window.find("library-empty", 20_000);
  await picture("04-open");
});

withServer("tracks that another machine scans come by themselves", async () => {
  for (const song of [1, 2]) writeSong(join(elsewhere, `song-${song}.wav`), song, 10);
  const data = join(desktop.home, "other machine");
  const env = { ...desktop.env, PGPASSWORD: PASSWORD, UNDERTONE_DATA_DIR: data, UNDERTONE_CONFIG_DIR: data };
  const scanned = spawnSync(commandLine, ["library", "--library", server.address, "scan", elsewhere], { env, encoding: "utf8" });
  assert.equal(scanned.status, 0, scanned.stderr);
  await until(async () => (await rows()) === 2, 20_000, "two tracks");
  await picture("05-tracks");
});

withServer("a folder that is elsewhere on this computer is told, and its place is chosen", async () => {
  const here = join(desktop.home, "here");
  renameSync(elsewhere, here);
  await settings();
  await window.find("settings-library-places");
  await until(() => shows("Not on this computer"), 20_000, "what is not here");
  await window.run(`document.querySelector('[data-testid="settings-library-places"]').scrollIntoView({ block: "center" })`);
  await picture("06-away");
  const clicked = window.run(`document.querySelector('[data-testid="settings-library-places"] .button').click()`);
  await answerFileDialog(desktop.env, "Where is", here);
  await clicked;
  await until(() => shows(here), 20_000, "the place");
  await picture("07-placed");
  await window.press("Escape");
});

withServer("the password is in no file of this computer", async () => {
  const files = (folder) =>
    readdirSync(folder, { recursive: true })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  for (const folder of ["config", "data", "home"].map((name) => join(desktop.home, name))) {
    for (const path of files(folder)) assert.equal(readFileSync(path).includes("sesame"), false, path);
  }
});
