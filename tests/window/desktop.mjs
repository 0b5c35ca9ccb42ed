// A separate desktop for the window's test: a virtual display, a sound server that plays into nothing, and empty
// folders for settings and data.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A desktop of `size`. With `pictures` the web view paints as on a machine with a GPU, the only way in which WebDriver can
 * take its picture; without, as the program chooses for this machine. With `accessible` programs tell assistive technology
 * what they show.
 */
export async function startDesktop(size = "1280x800", { pictures = true, accessible = false } = {}) {
  const home = mkdtempSync(join(tmpdir(), "undertone-window-"));
  const folder = (name) => {
    const path = join(home, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const env = {
    ...process.env,
    XDG_RUNTIME_DIR: folder("run"),
    UNDERTONE_CONFIG_DIR: folder("config"),
    UNDERTONE_DATA_DIR: folder("data"),
    HOME: folder("home"),
    GTK_USE_PORTAL: "0",
    // OpenGL in software: threads for each core take a sixth more of the processor, and other tests have use for it.
    LP_NUM_THREADS: "1",
    ...(accessible ? {} : { NO_AT_BRIDGE: "1" }),
  };
  delete env.WAYLAND_DISPLAY;
  delete env.WEBKIT_DISABLE_DMABUF_RENDERER;
  if (pictures) {
    env.WEBKIT_DISABLE_DMABUF_RENDERER = "0";
    // WebKit's painting thread crashed in the software OpenGL driver and took the page with it, so painting stays on the CPU.
    env.WEBKIT_SKIA_ENABLE_CPU_RENDERING = "1";
  }
  const { server, display } = await startDisplay(size, env);
  env.DISPLAY = display;
  const sound = startSound(env);
  const bus = await startBus(env);
  return {
    env,
    home,
    sound,
    stop() {
      if (sound) {
        spawnSync("pulseaudio", ["--kill"], { env });
      }
      bus.kill("SIGTERM");
      server.kill("SIGTERM");
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

// The server picks a free number itself and writes it to a pipe.
async function startDisplay(size, env) {
  const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", `${size}x24`, "-nolisten", "tcp"], {
    env,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const [number] = await once(server.stdio[3], "data");
  return { server, display: `:${number.toString().trim()}` };
}

// Starts the session bus, by which a second instance finds the first.
async function startBus(env) {
  const bus = spawn("dbus-daemon", ["--session", "--nofork", "--print-address=3"], { env, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const [address] = await once(bus.stdio[3], "data");
  env.DBUS_SESSION_BUS_ADDRESS = address.toString().trim();
  return bus;
}

function startSound(env) {
  const sink = "module-null-sink sink_name=undertone rate=48000 channels=2 format=float32le norewinds=1";
  // As on a desktop, the server rests while nobody plays. Once something was played it would take an eighth of a core.
  const rest = ["-L", "module-suspend-on-idle timeout=1"];
  const words = ["--start", "--exit-idle-time=-1", "-n", "-L", "module-native-protocol-unix", "-L", sink, ...rest];
  return spawnSync("pulseaudio", words, { env }).status === 0;
}

/** The RMS in dB of the sound server's output over some seconds. */
export function heardLevel(env, seconds) {
  const rate = 48_000;
  const words = ["-d", "undertone.monitor", "--latency-msec=20", "--format=float32le", `--rate=${rate}`, "--channels=1", "--raw"];
  const { stdout } = spawnSync("timeout", [String(seconds), "parec", ...words], { env, maxBuffer: 1 << 26 });
  const samples = new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + (stdout.length & ~3)));
  const sum = samples.reduce((sum, sample) => sum + sample * sample, 0);
  return 10 * Math.log10(sum / Math.max(1, samples.length));
}

/** Plays a file as if in the room: the desktop's only microphone hears what its loudspeakers play. */
export function playInto(env, path) {
  return spawn("paplay", ["-d", "undertone", path], { env, stdio: "ignore" });
}

/** Answers a native file dialog, found by its title, with a path and Enter. One that opens takes a path after `key`. */
export async function answerFileDialog(env, title, path, saves = false, key = "slash") {
  const xdotool = (...args) => spawnSync("xdotool", args, { env, encoding: "utf8" });
  const dialog = await until(() => xdotool("search", "--onlyvisible", "--name", title).stdout.trim().split("\n").pop(), 15_000, `dialog "${title}"`);
  xdotool("windowfocus", "--sync", dialog);
  await pause(800);
  // A dialog that saves has a field for the name; one that opens grows a field for the path at a slash.
  if (saves) {
    xdotool("key", "--clearmodifiers", "ctrl+a");
  } else {
    xdotool("key", key);
    await pause(300);
  }
  xdotool("type", "--delay", "12", key === "slash" && !saves ? path.slice(1) : path);
  await pause(800);
  xdotool("key", "Return");
  await until(() => !xdotool("search", "--onlyvisible", "--name", title).stdout.trim(), 10_000, `dialog "${title}" to close`);
}

/** Drags files from a separate window onto a point of the screen, as from a file manager. */
export async function dropFiles(env, files, [x, y]) {
  const xdotool = (...args) => spawnSync("xdotool", args, { env, encoding: "utf8" });
  const source = spawn("/usr/bin/python3", ["tests/window/drag_source.py", "1500", "300", ...files], { env, stdio: "ignore" });
  await until(() => xdotool("search", "--onlyvisible", "--name", "Files to drag").stdout.trim(), 10_000, "the window to drag from");
  await pause(300);
  xdotool("mousemove", "1550", "350", "mousedown", "1");
  // A drag begins after some pixels; each step is a separate motion, as from a hand.
  for (const share of [0.02, 0.1, 0.3, 0.6, 0.9, 0.98, 1]) {
    xdotool("mousemove", `${Math.round(1550 + (x - 1550) * share)}`, `${Math.round(350 + (y - 350) * share)}`);
    await pause(120);
  }
  return {
    async release() {
      xdotool("mouseup", "1");
      await pause(300);
      source.kill("SIGTERM");
    },
  };
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `check` gives something true, and gives that; fails by name after `ms`. */
export async function until(check, ms, what) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) {
      return value;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${ms} ms in vain for ${what}`);
    }
    await pause(60);
  }
}
