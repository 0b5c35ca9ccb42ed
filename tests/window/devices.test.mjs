// The devices are verified from the window: progress that names what runs, cancel, result, report. Without a GPU, which
// takes a minute in software; the core's tests verify one.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  window = await openApplication({ ...desktop.env, VK_DRIVER_FILES: "/nonexistent", WGPU_BACKEND: "vulkan" }, application);
  await window.resize(1280, 800);
  await window.click("device-chip");
  await window.find("device-panel");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `devices-${name}.png`));

/** Waits for the end of the verification while it makes progress: the time of a check depends on the machine. */
async function ended(ms) {
  let begun = Date.now();
  let last;
  while (await window.has("verify-job")) {
    const step = await window.run(`return document.querySelector('[data-testid="verify-step"]')?.textContent ?? ""`);
    if (step !== last) {
      [begun, last] = [Date.now(), step];
    }
    assert.ok(Date.now() - begun < ms, `no progress for ${ms} ms: ${step}`);
    await pause(100);
  }
}

test("a verification names what runs and can be cancelled", async () => {
  await window.click("verify-start");
  await window.find("verify-job");
  await until(async () => / on .+\(\d+ of \d+ checks done\)/.test(await window.text("verify-step")), 20_000, "the name of a check");
  await picture("01-running");
  await window.click("verify-job-cancel");
  await ended(10_000);
  assert.ok(!(await window.has("verified-cpu")), "a cancelled verification has no result");
});

test("every device passes, and the report is saved", async () => {
  await window.click("verify-start");
  await window.find("verify-job");
  await ended(300_000);
  assert.match(await window.text("verified-cpu"), /All \d+ kernel checks passed/);
  await picture("02-passed");
  const path = join(desktop.home, "report.json");
  const answered = answerFileDialog(desktop.env, "Save the verification report", path, true);
  await window.click("verify-save");
  await answered;
  const report = await until(() => readReport(path), 10_000, "the report");
  assert.deepEqual(report.adapters.map((adapter) => adapter.id), ["cpu"]);
});

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}
