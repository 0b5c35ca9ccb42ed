// The scenes of the window: every page, panel, menu and dialog, each with what opens it and what closes it.

import { until } from "./desktop.mjs";

/** Scenes of a window with a recording, a chain of four effects and a scanned library. `session` gives the window. */
export function scenesOf(session) {
  const window = new Proxy({}, { get: (_, name) => (typeof session()[name] === "function" ? session()[name].bind(session()) : session()[name]) });
  const exact = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
  const blur = () => window.run("document.activeElement?.blur()");
  const gone = (id) => until(async () => !(await window.has(id)), 10_000, `"${id}" to go`);

  async function key(...keys) {
    await blur();
    await window.press(...keys);
  }

  async function dialog(id, ...keys) {
    await key(...keys);
    await window.find(id);
    return async () => {
      await window.press("Escape");
      await gone(id);
    };
  }

  async function menu(name) {
    await window.click(`menu-${name}`);
    await window.find(`menu-of-${name}`);
    return async () => {
      await window.press("Escape");
      await gone(`menu-of-${name}`);
    };
  }

  /** By name what opens it and gives what closes it. */
  const scenes = {
    editor: async () => {
      await key("Control", "1");
      await exact();
      await window.run(`document.querySelectorAll('[data-testid^="more-parameters"]').forEach((button) => button.click())`);
    },
    selection: async () => {
      await window.drag("waveform", [0.3, 0.4], [0.6, 0.6], "Control");
      return async () => key("Escape");
    },
    spectrogram: async () => {
      await key("3");
      await until(async () => (await window.attribute("spectrogram", "data-drawn")) === "exact", 30_000, "an exact spectrogram");
      await key("t");
      await window.drag("waveform", [0.3, 0.2], [0.6, 0.35]);
      return async () => {
        await key("Escape");
        await key("t");
        await key("1");
      };
    },
    analyser: async () => {
      await key("v");
      await key("Shift", "l");
      await window.find("analyser-settings");
      return async () => {
        await key("v");
        await key("Shift", "l");
      };
    },
    "analyser-settings": async () => {
      await key("v");
      await window.click("analyser-settings");
      return async () => {
        await window.press("Escape");
        await key("v");
      };
    },
    "spectrogram-settings": async () => {
      await key("g");
      await window.find("spectrogram-preset");
      return async () => window.press("Escape");
    },
    "slot-menu": async () => {
      await window.click("slot-menu-1");
      return async () => window.press("Escape");
    },
    devices: async () => {
      await window.click("device-chip");
      await window.find("device-panel");
      return async () => window.press("Escape");
    },
    ...Object.fromEntries(["file", "edit", "view", "transport", "effects", "help"].map((name) => [`menu-${name}`, () => menu(name)])),
    export: async () => {
      const close = await dialog("export-dialog", "Control", "Shift", "e");
      await window.find("export-level", 15_000);
      return close;
    },
    settings: () => dialog("settings", "Control", ","),
    keyboard: async () => {
      const close = await dialog("settings", "Control", ",");
      await window.click("settings-page-keyboard");
      await window.find("keys-list");
      return close;
    },
    generate: async () => {
      await window.click("menu-edit");
      await window.click("sub-insert");
      await window.click("command-generate");
      await window.find("generate-signal");
      return async () => window.press("Escape");
    },
    "add-effect": () => dialog("effect-dialog", "e"),
    presets: () => dialog("presets-dialog", "Shift", "e"),
    palette: () => dialog("palette", "Control", "k"),
    shortcuts: () => dialog("shortcuts", "Control", "/"),
    reference: () => dialog("effects-reference", "Shift", "F1"),
    describe: () => dialog("describe", "i"),
    "go-to": () => dialog("go-to", "Control", "g"),
    "insert-silence": () => dialog("insert-silence", "Control", "Alt", "l"),
    notices: async () => {
      await window.click("notices-bell");
      return async () => window.click("notices-bell");
    },
    about: async () => {
      await window.click("menu-help");
      await window.click("command-about");
      await gone("menu-of-help");
      return async () => window.press("Escape");
    },
    library: async () => {
      await key("Control", "2");
      await window.click("library-tab-tracks");
      await window.click("library-panel-track");
      await window.find("track-table");
      await until(() => window.run(`return document.querySelectorAll('[data-testid="track-table"] [role="gridcell"]').length > 0`), 10_000, "tracks");
      await window.run(`document.querySelector('[data-testid="track-table"]').focus()`);
      await window.press("Down");
      await window.find("dimensions");
    },
    "menu-library": () => menu("library"),
    "library-similar": async () => {
      await window.click("library-panel-similar");
      await window.find("similar-0");
      await window.click("similar-all-0");
    },
    "library-query": async () => {
      await window.click("query-help");
      await window.find("query-help-panel");
      return async () => window.press("Escape");
    },
    "library-duplicates": async () => {
      await window.click("library-tab-duplicates");
      await window.settled();
      if (await window.has("duplicates-find")) await window.click("duplicates-find");
      await window.find("duplicates-summary", 60_000);
    },
    "library-map": async () => {
      await window.click("library-tab-map");
      await window.settled();
      if (await window.has("map-make")) await window.click("map-make");
      await window.find("map-legend-toggle", 60_000);
      await window.click("map-legend-toggle");
    },
    "library-identify": async () => {
      await window.click("library-tab-identify");
      await window.find("identify");
    },
    batch: async () => {
      await key("Control", "Shift", "b");
      await window.find("batch-settings");
    },
    "menu-batch": () => menu("batch"),
    compare: async () => {
      await key("Control", "4");
      await window.find("compare-empty");
    },
    codecs: async () => {
      await window.click("compare-empty-codecs");
      await window.find("codecs-setup");
    },
    models: async () => {
      await window.click("codecs-models");
      await window.find("models-known");
    },
    help: async () => {
      await key("F1");
      await window.find("help-article");
      return async () => key("Control", "1");
    },
  };

  return scenes;
}
