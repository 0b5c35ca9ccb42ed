// Many files through one chain in the real window: drop, names, run, failures, a second run.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, dropFiles, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;
let takes;
let out;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  takes = join(desktop.home, "takes");
  out = join(desktop.home, "out");
  mkdirSync(join(takes, "evening"), { recursive: true });
  mkdirSync(out);
  for (const name of ["take 1.wav", "take 2.wav", "evening/take 3.wav"]) writeTestTone(join(takes, name), 4);
  writeFileSync(join(takes, "letter.wav"), "Dear reader, this is not a recording.\n");
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.run(`window.refused = []; addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective))`);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

/** An element's text, even if cut off by an ellipsis, which WebDriver treats as hidden. */
const said = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent ?? ""`);
const picture = (name) => window.picture(join(pictures, `${name}.png`));
const states = () => window.run(`return [...document.querySelectorAll('[id^="input-"]')].sort((a, b) => a.dataset.index - b.dataset.index).map((row) => row.dataset.state)`);
const phase = () => window.attribute("batch-foot", "data-phase");
const listed = () => window.run(`return document.querySelector('[data-testid="batch-list"]')?.textContent ?? ""`);

test("the page begins empty and takes a folder that is dropped on it", async () => {
  await window.find("empty-state");
  await window.press("Control", "Shift", "b");
  await window.find("batch-empty");
  await picture("batch-01-empty");
  const drag = await dropFiles(desktop.env, [takes], [500, 400]);
  await until(() => window.run(`return document.querySelector('.drop') !== null`), 10_000, "the place to drop on");
  await drag.release();
  await until(async () => (await states()).length === 4, 10_000, "four inputs");
  await until(async () => /take 1\.wav/.test(await listed()) && /evening/.test(await listed()), 10_000, "names");
  assert.match(await window.text("batch-note"), /folder/);
});

test("the folder for the outputs is chosen and names follow the template", async () => {
  const clicked = window.click("batch-choose");
  // As most programs ask for a path to be typed; a dialog that begins with recent files would not take it.
  await answerFileDialog(desktop.env, "Output folder", out, false, "ctrl+l");
  await clicked;
  await until(async () => (await said("batch-output")).endsWith("out"), 10_000, "the folder");
  await window.run(`const field = document.querySelector('[data-testid="batch-template"]'); field.focus(); field.select();`);
  await window.type("batch-template", "{folder}/{number:2} {name} (clean).{ext}");
  await until(async () => /0\d take 1 \(clean\)\.wav/.test(await listed()), 10_000, "the names");
  await window.click("batch-chain");
  await window.click("batch-chain-preset:Telephone");
  await until(async () => /bandpass/.test(await window.text("batch-chain-text")), 5_000, "the chain");
  await picture("batch-02-ready");
});

test("it runs, lists what failed, and writes the rest", async () => {
  await window.run("document.activeElement?.blur()");
  await window.press("Control", "Enter");
  await until(async () => (await phase()) === "finished", 60_000, "the end");
  assert.deepEqual([...(await states())].sort(), ["done", "done", "done", "failed"]);
  assert.equal(readdirSync(out).filter((name) => name.endsWith("(clean).wav")).length, 2);
  assert.equal(readdirSync(join(out, "evening")).length, 1);
  assert.ok(existsSync(join(out, ".undertone-batch.jsonl")));
  const failed = (await states()).indexOf("failed");
  await window.run(`document.querySelector('[data-testid="input-${failed}"]').dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))`);
  assert.match(await window.text("batch-reason"), /audio/);
  await picture("batch-03-done");
});

test("a second run skips what is finished, and both themes can be read", async () => {
  await window.press("Control", "Enter");
  await until(async () => (await states()).includes("skipped"), 30_000, "what is skipped");
  await until(async () => (await phase()) === "finished", 30_000, "the end");
  assert.equal((await states()).filter((state) => state === "skipped").length, 3);
  for (const theme of ["light", "dark"]) {
    await window.press("Control", "k");
    await window.type("palette-search", `Theme: ${theme}`);
    await window.press("Enter");
    await until(() => window.run(`return document.documentElement.dataset.theme === "${theme}"`), 5_000, theme);
    await picture(`batch-04-${theme}`);
  }
  await window.resize(1024, 640);
  await picture("batch-05-small");
});

test("nothing of the top bar lies over anything else, however narrow the window", async () => {
  for (const width of [1320, 1280, 1181, 1152, 1100, 1024]) {
    await window.resize(width, 700);
    await until(async () => (await window.run("return innerWidth")) === width, 5_000, `a width of ${width}`);
    const look = () => window.run(`
      const all = [...document.querySelectorAll('header[data-region="top"] :is(button, canvas)')];
      const boxes = all.map((each) => [each.dataset.testid ?? each.textContent, each.getBoundingClientRect()]).sort(([, a], [, b]) => a.left - b.left);
      const over = boxes.slice(1).filter(([, box], n) => box.left < boxes[n][1].right - 1 && box.bottom > boxes[n][1].top + 1 && box.top < boxes[n][1].bottom - 1);
      return [...over, ...boxes.filter(([, box]) => box.right > innerWidth)].map(([name]) => name);`);
    // The row gives way in the frame after the window has its size.
    await until(async () => (await look()).length === 0, 3_000, `room at ${width}`).catch(() => undefined);
    assert.deepEqual(await look(), [], `at ${width}`);
  }
});

test("nothing that was shown needed more than the security policy allows", async () => {
  assert.deepEqual(await window.run("return window.refused"), []);
});
