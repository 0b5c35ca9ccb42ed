// Files that harm careless readers, in the real window: each is refused or opened in words, a sound recording beside them
// opens and plays, the memory of the program stays bounded, and the library scans the rest.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");
const hostile = resolve("tests/reference/hostile");
/** The memory limit of the program itself; the web view is another process. */
const MOST_MIB = 1024;

let desktop;
let window;
let files;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  const folder = join(desktop.home, "found");
  mkdirSync(folder);
  files = readdirSync(hostile).map((name) => {
    copyFileSync(join(hostile, name), join(folder, name));
    return join(folder, name);
  });
  writeTestTone(join(folder, "tone.wav"), 5);
  window = await openApplication(desktop.env, application, [...files, join(folder, "tone.wav")]);
  await window.resize(1280, 800);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

test("hostile files open or are refused in words, and the recording beside them opens", async () => {
  assert.ok(files.length >= 6, "the hostile files are missing");
  await until(async () => (await openNames()).includes("tone.wav"), 60_000, "the recording beside them");
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "its waveform");
  await window.picture(join(pictures, "hostile-01-opened.png"));
});

test("every tab can be brought to the front, and the program answers", async () => {
  const tabs = await openNames();
  for (const name of tabs) {
    await window.run(`[...document.querySelectorAll('[role="tab"]')].find((tab) => tab.textContent.includes(${JSON.stringify(name)})).click()`);
    await pause(500);
    assert.ok(await window.has("status-selection"), name);
  }
  await window.picture(join(pictures, "hostile-02-tabs.png"));
});

test("memory stays bounded", () => {
  const mebibytes = peakMebibytes();
  assert.ok(mebibytes > 0 && mebibytes < MOST_MIB, `${mebibytes} MiB`);
});

function openNames() {
  return window.run(`return [...document.querySelectorAll('[role="tab"]')].map((tab) => tab.textContent.trim())`);
}

// The program's peak memory, as Linux reports it.
function peakMebibytes() {
  const pids = readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/exe`) === realpathSync(application);
    } catch {
      return false;
    }
  });
  const status = pids.map((pid) => readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.max(0, ...status.map((text) => Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024));
}
