// The WebDriver protocol in plain fetch, as far as the window's test needs it.

import { spawn } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { pause, until } from "./desktop.mjs";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Starts the application under a driver and gives a session with it. */
export async function openApplication(env, application, args = []) {
  const port = await freePort();
  // By these the web view lets itself be driven.
  const automated = { ...env, TAURI_AUTOMATION: "true", TAURI_WEBVIEW_AUTOMATION: "true" };
  const driver = spawn("WebKitWebDriver", ["--host=127.0.0.1", `--port=${port}`], { env: automated, stdio: "ignore" });
  const base = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${base}/status`).then((r) => r.ok, () => false), 15_000, "the driver");
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary: application, args } } };
  const { sessionId } = await send("POST", `${base}/session`, { capabilities });
  return new Session(`${base}/session/${sessionId}`, driver, () => processesOf(application, env));
}

async function send(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const { value } = await response.json();
  if (!response.ok) {
    throw new Error(`${method} ${url}: ${value?.error}: ${value?.message}`);
  }
  return value;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

class Session {
  constructor(url, driver, processes) {
    this.url = url;
    this.driver = driver;
    /** The numbers of the application's running processes. */
    this.processes = processes;
  }

  /** Runs a function body in the page and gives its value. */
  run(script, ...args) {
    return send("POST", `${this.url}/execute/sync`, { script, args });
  }

  /** Runs a function body whose last argument is a callback for the value. */
  async runAsync(script, ...args) {
    await send("POST", `${this.url}/timeouts`, { script: 120_000 });
    return send("POST", `${this.url}/execute/async`, { script, args });
  }

  /** The element with a test id, waited for until it is shown. */
  async find(id, ms = 10_000) {
    const using = { using: "css selector", value: `[data-testid="${id}"]` };
    const found = await until(() => send("POST", `${this.url}/element`, using).catch(() => null), ms, `"${id}"`);
    return found[ELEMENT];
  }

  async has(id) {
    return this.run(`return document.querySelector('[data-testid="${id}"]') !== null`);
  }

  async click(id) {
    const click = async () => send("POST", `${this.url}/element/${await this.find(id)}/click`, {});
    // An element that is redrawn between look-up and click is looked up again after a moment.
    const again = async (error) => {
      if (!/stale element|not interactable/.test(String(error))) throw error;
      await pause(200);
      await click();
    };
    await click().catch(again);
  }

  async text(id) {
    const element = await this.find(id);
    return send("GET", `${this.url}/element/${element}/text`);
  }

  attribute(id, name) {
    return this.run(`return document.querySelector('[data-testid="${id}"]')?.getAttribute("${name}")`);
  }

  /** Types into an element; special keys are written by name in `Keys`. */
  async type(id, text) {
    const element = await this.find(id);
    await send("POST", `${this.url}/element/${element}/value`, { text });
  }

  /** Presses keys together on the focused element: `press("Control", "z")`. */
  async press(...names) {
    const keys = names.map((name) => Keys[name] ?? name);
    const down = keys.map((value) => ({ type: "keyDown", value }));
    const up = [...keys].reverse().map((value) => ({ type: "keyUp", value }));
    await send("POST", `${this.url}/actions`, { actions: [{ type: "key", id: "keyboard", actions: [...down, ...up] }] });
  }

  /** Drags from one point of an element to another, with a key held if one is named; points are shares of its size. */
  async drag(id, from, to, held = null) {
    const box = await this.run(`const r = document.querySelector('[data-testid="${id}"]').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]`);
    const at = ([x, y]) => ({ x: Math.round(box[0] + box[2] * x), y: Math.round(box[1] + box[3] * y) });
    const moves = [
      { type: "pointerMove", duration: 0, ...at(from) },
      { type: "pointerDown", button: 0 },
      { type: "pointerMove", duration: 120, ...at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]) },
      { type: "pointerMove", duration: 120, ...at(to) },
      { type: "pointerUp", button: 0 },
    ];
    const pause = { type: "pause", duration: 0 };
    // Sources act in step: the key goes down before the pointer's first act, and up after its last.
    const pointer = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: held ? [pause, ...moves, pause] : moves };
    const value = Keys[held];
    const key = { type: "key", id: "keyboard", actions: [{ type: "keyDown", value }, ...moves.map(() => pause), { type: "keyUp", value }] };
    await send("POST", `${this.url}/actions`, { actions: held ? [key, pointer] : [pointer] });
  }

  /** Presses the pointer at one point of an element and moves it to another, where it stays held until `release`. */
  async hold(id, from, to) {
    const [start, end] = [await this.pointOf(id, from), await this.pointOf(id, to)];
    const middle = { x: Math.round((start.x + end.x) / 2), y: Math.round((start.y + end.y) / 2) };
    const actions = [
      { type: "pointerMove", duration: 0, ...start },
      { type: "pointerDown", button: 0 },
      { type: "pointerMove", duration: 120, ...middle },
      { type: "pointerMove", duration: 120, ...end },
    ];
    await send("POST", `${this.url}/actions`, { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
  }

  async release() {
    const actions = [{ type: "pointerUp", button: 0 }];
    await send("POST", `${this.url}/actions`, { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
  }

  /** Clicks several times in quick succession at a point of an element, a share of its size. */
  async clicks(id, [x, y], count) {
    const at = await this.pointOf(id, [x, y]);
    const click = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    const actions = [{ type: "pointerMove", duration: 0, ...at }, ...Array.from({ length: count }, () => click).flat()];
    await send("POST", `${this.url}/actions`, { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
  }

  /** Turns the wheel over a point of an element, a share of its size. */
  async wheel(id, deltaY, [x, y] = [0.5, 0.5]) {
    const at = await this.pointOf(id, [x, y]);
    await send("POST", `${this.url}/actions`, { actions: [{ type: "wheel", id: "wheel", actions: [{ type: "scroll", duration: 0, deltaX: 0, deltaY, ...at }] }] });
    // The driver takes a turn as what is left of it after the turn before, so that two alike would be one.
    await send("DELETE", `${this.url}/actions`);
  }

  async pointOf(id, [x, y]) {
    const box = await this.run(`const r = document.querySelector('[data-testid="${id}"]').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]`);
    return { x: Math.round(box[0] + box[2] * x), y: Math.round(box[1] + box[3] * y) };
  }

  resize(width, height) {
    return send("POST", `${this.url}/window/rect`, { x: 0, y: 0, width, height });
  }

  /** Waits until two frames have been drawn, and writes a picture of the window if it is `wanted`. */
  async picture(path, wanted = process.env.UNDERTONE_PICTURES !== undefined) {
    await this.runAsync("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));");
    if (!wanted) return;
    await pause(150);
    const data = await send("GET", `${this.url}/screenshot`);
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  /** Waits until the page has not changed for six frames and nothing moves, two seconds at most. */
  settled() {
    return this.runAsync(
      `const [done] = arguments;
      const end = performance.now() + 2000;
      let still = 0;
      const changes = new MutationObserver(() => (still = 0));
      changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      const ends = (animation) => animation.playState === "running" && animation.effect?.getComputedTiming().iterations !== Infinity;
      const look = () => {
        still = document.getAnimations().some(ends) ? 0 : still + 1;
        if (still <= 6 && performance.now() < end) return requestAnimationFrame(look);
        changes.disconnect();
        done(true);
      };
      look();`,
    );
  }

  /** How many colours an element shows, however it is drawn. */
  async coloursSeen(id) {
    const element = await this.find(id);
    const picture = await send("GET", `${this.url}/element/${element}/screenshot`);
    return this.runAsync(
      `const [picture, done] = arguments;
      const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
      createImageBitmap(new Blob([bytes], { type: "image/png" })).then((image) => {
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        done(new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size);
      }, (error) => done(String(error)));`,
      picture,
    );
  }

  async close() {
    await send("DELETE", this.url).catch(() => null);
    this.driver.kill("SIGTERM");
    await pause(300);
    // The system's event loop may wait some seconds before it notices that its last window is gone, and a start in that
    // time would be taken for a second one.
    this.processes().forEach((pid) => process.kill(pid, "SIGTERM"));
    await until(() => this.processes().length === 0, 10_000, "the end of the application");
  }
}

// The processes of a program on a desktop; its data folder distinguishes them from those of concurrent tests.
function processesOf(application, env) {
  const own = `UNDERTONE_DATA_DIR=${env.UNDERTONE_DATA_DIR}`;
  const program = realpathSync(application);
  return readdirSync("/proc").filter((entry) => {
    try {
      const same = /^\d+$/.test(entry) && readlinkSync(`/proc/${entry}/exe`) === program;
      return same && readFileSync(`/proc/${entry}/environ`, "utf8").split("\0").includes(own);
    } catch {
      return false;
    }
  });
}

/** Keys by name, as WebDriver writes them. */
export const Keys = {
  Control: "\uE009",
  Shift: "\uE008",
  Alt: "\uE00A",
  Enter: "\uE007",
  Escape: "\uE00C",
  Tab: "\uE004",
  Backspace: "\uE003",
  Delete: "\uE017",
  Left: "\uE012",
  Up: "\uE013",
  Right: "\uE014",
  Down: "\uE015",
  Home: "\uE011",
  End: "\uE010",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  F1: "\uE031",
  F6: "\uE036",
  F10: "\uE03A",
  Space: " ",
};
