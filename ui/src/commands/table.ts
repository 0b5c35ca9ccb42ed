// All commands of the interface: menus, keys, palette and shortcut sheet are made from this table.

import { tick } from 'svelte';
import type { Chain, GroupKind, Theme } from '../bindings';
import { clipCommands, snapCommands } from '../pages/editor/commands/clips';
import { all, selectedNode, when, withDocument, withDocuments, withGroup, withNode, withOthers, withRegion, withSelection, withSpectrogram, type Condition } from './conditions';
import { documentCommands } from '../pages/editor/commands/documents';
import { levelCommands } from '../pages/editor/commands/levels';
import { markerCommands, markerTransport, markerView } from '../pages/editor/commands/markers';
import { measurementCommands } from '../pages/editor/commands/measurements';
import { menuCommands } from './menus';
import { monitorCommands } from '../pages/editor/commands/monitor';
import { partCommands } from '../pages/editor/commands/parts';
import { recordingCommands } from './recording';
import { repairCommands } from '../pages/editor/commands/repair';
import { soundCommands } from '../pages/editor/commands/sound';
import { spectrogramCommands } from '../pages/editor/commands/spectrogram';
import { stemCommands } from './stems';
import { trackCommands, trackExport } from '../pages/editor/commands/tracks';
import { intoPlace, isGroup, outPlace, placeOf, stepPlace, walk } from '../lib/chain';
import { aroundSelection, selectionBetween, whole, zoomed } from '../lib/view';
import { PAGES, type PageName } from '../pages/pages';
import type { App } from '../state/app.svelte';
import type { DocumentState } from '../state/document.svelte';
import { text } from '../text/catalogue';
import { said } from '../text/core-words';
import { cycleRegion } from './regions';

/** A part of the window with separate keys while it has the focus. */
export type Scope = 'rack' | 'tracks' | 'copies' | 'answers' | 'playlist' | 'map' | 'listening' | 'inputs' | 'versions' | 'markers';

export type MenuName = keyof typeof text.mnemonics;

/** Submenus, so that each menu is short enough for a small window. */
export type SubMenuName = keyof typeof text.menus.subs;

export interface Command {
  id: string;
  menu: MenuName;
  /** Commands of one menu and group are listed together, with lines between groups. */
  group: number;
  title: string;
  /** Its submenu, with a shorter title there if one will do. */
  sub?: { menu: SubMenuName; title?: string };
  /** The title in the menu if it says more, such as which edit would be undone. */
  label?(app: App): string;
  /** The default keys; `keymap.ts` applies those of the settings. */
  keys: string[];
  /** Listed only in the palette and the shortcut sheet, to keep menus short. */
  unlisted?: boolean;
  /** The page it belongs to; absent for all. On others it does nothing and is in no menu. */
  page?: PageName;
  /** Where its keys work; absent means everywhere. */
  scope?: Scope;
  /** Additional keys in some scopes. */
  within?: Partial<Record<Scope, string[]>>;
  /** Whether its key is its argument: it is then listed only on the shortcut sheet. */
  byKey?: boolean;
  /** Whether holding the key down runs it only once. */
  once?: boolean;
  /** The condition under which it can run; absent means always. */
  enabled?: Condition;
  checked?(app: App): boolean;
  run(app: App, combo?: string): unknown;
}

const of = (page: PageName, commands: Command[]): Command[] => commands.map((command) => ({ ...command, page }));

const on =
  (action: (document: DocumentState, app: App) => unknown) =>
  (app: App): unknown =>
    app.documents.active ? action(app.documents.active, app) : null;

function zoom(document: DocumentState, factor: number): void {
  const { view, cursor } = document;
  const inside = cursor >= view.start && cursor <= view.end;
  const anchor = inside ? (cursor - view.start) / (view.end - view.start) : 0.5;
  document.setView(zoomed(view, factor, anchor, document.data.frames));
}

function jump(document: DocumentState, app: App, seconds: number): void {
  const head = app.player.headOf(document);
  const to = Math.max(0, Math.min(document.data.frames, (head ?? document.cursor) + seconds * document.data.rate));
  document.setCursor(to);
  if (head !== null) void app.player.seek(document, to);
}

function setEdge(document: DocumentState, app: App, edge: 'start' | 'end'): void {
  const at = app.player.headOf(document) ?? document.cursor;
  const { selection } = document;
  const other = edge === 'start' ? (selection?.end ?? document.data.frames) : (selection?.start ?? 0);
  document.commitSelection(selectionBetween(at, other, document.data.frames));
}

function selectNone(document: DocumentState): void {
  document.channels = null;
  document.commitSelection(null);
}

function neighbour(app: App, step: number): void {
  const index = app.documents.all.findIndex((each) => each.id === app.documents.activeId);
  const next = app.documents.all[(index + step + app.documents.all.length) % app.documents.all.length];
  if (next) app.documents.activate(next.id);
}

/** Moves the active tab by one place, stopping at the ends. */
function moveTab(app: App, step: 1 | -1): void {
  const { all: documents, active } = app.documents;
  const to = active ? documents.indexOf(active) + step : -1;
  if (active && to >= 0 && to < documents.length) app.documents.move(active.id, to);
}

function moveNode(document: DocumentState, to: (chain: Chain, node: number) => { parent: number | null; index: number } | null): void {
  const node = document.selectedNode;
  if (node === null) return;
  const place = to(document.chain, node);
  if (!place) return;
  document.edit({ kind: 'move', node, ...place });
  void document.edits.idle().then(() => (document.focusNode = node));
}

function removeNode(document: DocumentState): void {
  const node = document.selectedNode;
  const place = node === null ? null : placeOf(document.chain.nodes, node);
  if (node === null || !place) return;
  document.selectedNode = (place.siblings[place.index + 1] ?? place.siblings[place.index - 1])?.id ?? null;
  const next = document.selectedNode;
  document.edit({ kind: 'remove', node });
  void document.edits.idle().then(() => (document.focusNode = next));
}

function toggleBypass(document: DocumentState): void {
  const node = document.selectedNode;
  const place = node === null ? null : placeOf(document.chain.nodes, node);
  const found = place?.siblings[place.index];
  if (found) document.edit({ kind: 'set_bypass', node: found.id, bypass: !found.bypass });
}

function nextSlot(document: DocumentState, step: 1 | -1, extend: boolean): void {
  const all = [...walk(document.chain.nodes)].map((node) => node.id);
  const last = extend ? (step > 0 ? document.chosen.at(-1) : document.chosen[0]) : document.selectedNode;
  const place = last == null ? null : placeOf(document.chain.nodes, last);
  if (extend && place) {
    const next = place.siblings[place.index + step];
    if (next) document.marked = [...document.chosen, next.id];
    return;
  }
  const next = last == null ? all.at(step > 0 ? 0 : -1) : all[all.indexOf(last) + step];
  if (next !== undefined) document.focusNode = document.selectedNode = next;
}

function group(document: DocumentState, kind: GroupKind): void {
  const nodes = document.chosen;
  if (nodes.length === 0) return;
  const before = new Set([...walk(document.chain.nodes)].map((node) => node.id));
  document.edit({ kind: 'group', nodes, group: kind });
  void document.edits.idle().then(() => {
    const made = [...walk(document.chain.nodes)].find((node) => isGroup(node) && !before.has(node.id));
    if (made) document.focusNode = document.selectedNode = made.id;
  });
}

/** The effect of the selected slot, if it has one. */
function selectedEffect(app: App): string | null {
  const node = selectedNode(app);
  return node && !isGroup(node) ? node.effect : null;
}

async function focusChainText(app: App): Promise<void> {
  app.layout.rackOpen = true;
  await tick();
  document.getElementById('chain-text')?.focus();
}

/** Whether something plays, or the current page has something to play, such as the library's current track. */
export const canPlay = when((app) => {
  if (app.player.playing) return true;
  return app.front.play?.can(app) ?? app.documents.active !== null;
}, text.reasons.nothingToPlay);

const canUndo = all(withDocument, when((app) => app.documents.active?.data.undo != null, text.reasons.noUndo));
const canRedo = all(withDocument, when((app) => app.documents.active?.data.redo != null, text.reasons.noRedo));

export function togglePlaying(app: App): unknown {
  // A recording made along with playback ends with it.
  if (app.recording.onto) return app.recording.stop();
  if (app.front.play) return app.front.play.toggle(app);
  if (app.player.playing) return app.settings.now.space_pauses ? pause(app) : app.player.stop();
  return app.documents.active && app.player.toggle(app.documents.active);
}

export const pause = (app: App): unknown => {
  const heard = app.documents.find(app.player.transport?.document ?? -1) ?? app.documents.active;
  return heard && app.player.pause(heard);
};

/** Does the opposite of Space: pauses where Space stops, and stops where Space pauses. */
function pauseOrResume(app: App): unknown {
  if (app.recording.onto) return app.recording.stop();
  if (!app.player.playing) return app.documents.active && app.player.start(app.documents.active);
  return app.settings.now.space_pauses ? app.player.stop() : pause(app);
}

const t = text.commands;

const THEMES: Theme[] = ['system', 'dark', 'light', 'contrast'];
const themeCommands: Command[] = THEMES.map((theme) => ({
  id: `theme-${theme}`,
  menu: 'view',
  group: 6,
  title: t.theme(text.settings.themes[theme]),
  sub: { menu: 'theme', title: text.settings.themes[theme] },
  keys: [],
  checked: (app) => app.settings.now.theme === theme,
  run: (app) => app.settings.save({ theme }),
}));

export const COMMANDS: Command[] = [
  { id: 'open', menu: 'file', group: 0, title: t.open, keys: ['Ctrl+O'], run: (app) => app.documents.open('dialog') },
  { id: 'open-demo', menu: 'file', group: 0, title: t.openDemo, keys: [], run: (app) => app.documents.open('demo') },
  { id: 'reopen-closed', menu: 'file', group: 0, title: t.reopen, label: (app) => (app.documents.lastClosed ? t.reopenWhat(app.documents.lastClosed) : t.reopen), keys: ['Ctrl+Shift+T'], enabled: when((app) => app.documents.lastClosed !== null, text.reasons.noneClosed), run: (app) => app.documents.reopen() },
  ...of('editor', [
    { id: 'save', menu: 'file', group: 1, title: t.save, keys: ['Ctrl+S'], enabled: withDocument, run: on((document, app) => app.documents.save(document, false)) },
    { id: 'save-as', menu: 'file', group: 1, title: t.saveAs, keys: ['Ctrl+Shift+S'], enabled: withDocument, run: on((document, app) => app.documents.save(document, true)) },
    { id: 'export', menu: 'file', group: 1, title: t.export, keys: ['Ctrl+Shift+E'], enabled: withDocument, run: (app) => (app.dialogs.open = 'export') },
    { id: 'picture', menu: 'file', group: 1, title: t.picture, keys: [], enabled: withDocument, run: (app) => (app.dialogs.open = 'picture') },
    ...trackExport,
    ...documentCommands,
  ]),
  { id: 'settings', menu: 'file', group: 3, title: t.settings, keys: ['Ctrl+,'], run: (app) => app.dialogs.showSettings('general') },
  { id: 'quit', menu: 'file', group: 4, title: t.quit, keys: ['Ctrl+Q'], once: true, run: (app) => app.quit() },

  ...of('editor', [
    {
      id: 'undo',
      menu: 'edit',
      group: 0,
      title: t.undo,
      label: (app) => (app.documents.active?.data.undo ? t.undoWhat(said(app.documents.active.data.undo)) : t.undo),
      keys: ['Ctrl+Z'],
      enabled: canUndo,
      run: on((document, app) => app.notices.attempt(() => document.undo())),
    },
    {
      id: 'redo',
      menu: 'edit',
      group: 0,
      title: t.redo,
      label: (app) => (app.documents.active?.data.redo ? t.redoWhat(said(app.documents.active.data.redo)) : t.redo),
      keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
      enabled: canRedo,
      run: on((document, app) => app.notices.attempt(() => document.redo())),
    },
    ...soundCommands,
    ...clipCommands,
    ...snapCommands,
    { id: 'select-all', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.selectAll, keys: ['Ctrl+A'], enabled: withDocument, run: on((document) => document.selectAll()) },
    { id: 'select-none', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.selectNone, keys: ['Escape'], enabled: withRegion, run: on((document) => selectNone(document)) },
    { id: 'select-sound', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.selectSound, keys: ['S'], enabled: withDocument, run: on((document, app) => app.notices.attempt(() => document.selectBetweenSilences(document.cursor))) },
    { id: 'band-tool', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.bandTool, keys: ['T'], enabled: withSpectrogram, checked: (app) => app.layout.bandTool, run: (app) => app.setBandTool(!app.layout.bandTool) },
    { id: 'selection-start', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.selectionStart, keys: ['['], enabled: withDocument, run: on((document, app) => setEdge(document, app, 'start')) },
    { id: 'selection-end', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.selectionEnd, keys: [']'], enabled: withDocument, run: on((document, app) => setEdge(document, app, 'end')) },
    ...repairCommands,
    ...markerCommands,
    ...trackCommands,
    ...stemCommands,
    ...measurementCommands,
  ]),

  ...of('editor', [
    { id: 'zoom-in', menu: 'view', group: 1, sub: { menu: 'zoom' }, title: t.zoomIn, keys: ['Ctrl+='], enabled: withDocument, run: on((document) => zoom(document, 0.5)) },
    { id: 'zoom-out', menu: 'view', group: 1, sub: { menu: 'zoom' }, title: t.zoomOut, keys: ['Ctrl+-'], enabled: withDocument, run: on((document) => zoom(document, 2)) },
    { id: 'zoom-selection', menu: 'view', group: 1, sub: { menu: 'zoom' }, title: t.zoomSelection, keys: ['Ctrl+E'], enabled: withSelection, run: on((document) => document.selection && document.setView(aroundSelection(document.selection, document.data.frames))) },
    { id: 'zoom-fit', menu: 'view', group: 1, sub: { menu: 'zoom' }, title: t.zoomFit, keys: ['Ctrl+F'], enabled: withDocument, run: on((document) => document.setView(whole(document.data.frames))) },
    ...levelCommands,
    { id: 'follow', menu: 'view', group: 1, title: t.follow, keys: ['F'], checked: (app) => app.follow, run: (app) => (app.follow = !app.follow) },
    {
      id: 'rack',
      menu: 'view',
      group: 4,
      title: t.rack,
      keys: ['Ctrl+]'],
      checked: (app) => app.layout.rackOpen,
      run: (app) => {
        app.layout.rackOpen = !app.layout.rackOpen;
        app.settings.panesChanged();
      },
    },
    ...markerView,
  ]),
  ...PAGES.flatMap(({ commands = [] }) => commands),
  { id: 'devices', menu: 'view', group: 4, title: t.devices, keys: ['D'], run: (app) => (app.dialogs.devicesOpen = !app.dialogs.devicesOpen) },
  { id: 'notices', menu: 'view', group: 4, title: t.notices, keys: [], checked: (app) => app.notices.listOpen, run: (app) => app.notices.toggleList() },
  ...menuCommands,
  { id: 'next-region', menu: 'view', group: 5, sub: { menu: 'go' }, title: t.nextRegion, keys: ['F6'], run: () => cycleRegion(1) },
  { id: 'previous-region', menu: 'view', group: 5, sub: { menu: 'go' }, title: t.previousRegion, keys: ['Shift+F6'], run: () => cycleRegion(-1) },
  ...of('editor', [
    { id: 'next-document', menu: 'view', group: 5, sub: { menu: 'go' }, title: t.nextDocument, keys: ['Ctrl+Tab', 'Ctrl+PageDown'], enabled: withDocuments, run: (app) => neighbour(app, 1) },
    { id: 'previous-document', menu: 'view', group: 5, sub: { menu: 'go' }, title: t.previousDocument, keys: ['Ctrl+Shift+Tab', 'Ctrl+PageUp'], enabled: withDocuments, run: (app) => neighbour(app, -1) },
    { id: 'tab-right', menu: 'view', group: 2, title: t.tabRight, keys: ['Ctrl+Shift+PageDown'], unlisted: true, enabled: withDocuments, run: (app) => moveTab(app, 1) },
    { id: 'tab-left', menu: 'view', group: 2, title: t.tabLeft, keys: ['Ctrl+Shift+PageUp'], unlisted: true, enabled: withDocuments, run: (app) => moveTab(app, -1) },
    ...spectrogramCommands,
    ...monitorCommands,
  ]),
  ...themeCommands,

  { id: 'play', menu: 'transport', group: 0, title: t.play, keys: ['Space'], once: true, enabled: canPlay, run: togglePlaying, label: (app) => (app.settings.now.space_pauses ? t.playOrPause : t.play) },
  ...of('editor', [
    { id: 'pause', menu: 'transport', group: 0, title: t.pause, keys: ['Ctrl+Space', 'P'], once: true, enabled: canPlay, run: pauseOrResume, label: (app) => (app.settings.now.space_pauses ? t.stopOrResume : t.pause) },
    { id: 'play-selection', menu: 'transport', group: 0, title: t.playSelection, keys: ['Shift+Space'], enabled: withSelection, run: on((document, app) => document.selection && app.player.play(document, document.selection.start, document.selection.end)) },
    { id: 'loop', menu: 'transport', group: 0, title: t.loop, keys: ['L'], once: true, checked: (app) => app.player.looping, run: (app) => app.player.setLoop(!app.player.looping) },
    { id: 'go-to', menu: 'transport', group: 1, title: t.goTo, keys: ['Ctrl+G'], enabled: withDocument, run: (app) => (app.dialogs.open = 'go-to') },
    ...markerTransport,
    { id: 'to-start', menu: 'transport', group: 1, title: t.toStart, keys: ['Home'], enabled: withDocument, run: on((document, app) => jump(document, app, -Infinity)) },
    { id: 'to-end', menu: 'transport', group: 1, title: t.toEnd, keys: ['End'], enabled: withDocument, run: on((document, app) => jump(document, app, Infinity)) },
    { id: 'back', menu: 'transport', group: 1, title: t.back, keys: ['Left'], enabled: withDocument, run: on((document, app) => jump(document, app, -1)) },
    { id: 'forward', menu: 'transport', group: 1, title: t.forward, keys: ['Right'], enabled: withDocument, run: on((document, app) => jump(document, app, 1)) },
    { id: 'back-far', menu: 'transport', group: 1, title: t.backFar, keys: ['Ctrl+Left'], enabled: withDocument, run: on((document, app) => jump(document, app, -10)) },
    { id: 'forward-far', menu: 'transport', group: 1, title: t.forwardFar, keys: ['Ctrl+Right'], enabled: withDocument, run: on((document, app) => jump(document, app, 10)) },
  ]),
  ...recordingCommands,
  { id: 'side-a', menu: 'transport', group: 2, title: t.sideA, keys: ['A'], checked: (app) => app.sides.side === 'original', run: (app) => app.sides.hear('original') },
  { id: 'side-b', menu: 'transport', group: 2, title: t.sideB, keys: ['B'], checked: (app) => app.sides.side === 'processed', run: (app) => app.sides.hear('processed') },
  { id: 'matched', menu: 'transport', group: 2, title: t.matched, keys: ['Shift+M'], enabled: when((app) => app.sides.canMatch, text.reasons.noMatch), checked: (app) => app.sides.matched, run: (app) => app.sides.setMatched(!app.sides.matched) },

  ...of('editor', [
    { id: 'add-effect', menu: 'effects', group: 0, title: t.addEffect, keys: ['E'], enabled: withDocument, run: (app) => (app.dialogs.open = 'add-effect') },
    { id: 'presets', menu: 'effects', group: 0, title: t.presets, keys: ['Shift+E'], run: (app) => (app.dialogs.open = 'presets') },
    { id: 'chain-text', menu: 'effects', group: 0, title: t.chainText, keys: ['Ctrl+Shift+C'], enabled: withDocument, run: focusChainText },
    { id: 'other-rack', menu: 'effects', group: 0, title: t.otherRack, keys: ['Q'], once: true, enabled: withDocument, run: on((document, app) => app.notices.attempt(() => document.hearRack(document.data.rack === 'a' ? 'b' : 'a'))) },
    { id: 'copy-rack', menu: 'effects', group: 0, title: t.copyRack, keys: ['Shift+Q'], once: true, enabled: withDocument, run: on((document) => document.edit({ kind: 'copy_rack' })) },
    { id: 'swap-racks', menu: 'effects', group: 0, title: t.swapRacks, keys: [], enabled: withDocument, run: on((document) => document.edit({ kind: 'swap_racks' })) },
    { id: 'group-series', menu: 'effects', group: 2, scope: 'rack', title: t.groupSeries, keys: ['Ctrl+G'], enabled: withOthers, run: on((document) => group(document, 'series')) },
    { id: 'group-parallel', menu: 'effects', group: 2, scope: 'rack', title: t.groupParallel, keys: ['Ctrl+Shift+G'], enabled: withNode, run: on((document) => group(document, 'parallel')) },
    ...partCommands,
    { id: 'ungroup', menu: 'effects', group: 2, scope: 'rack', title: t.ungroup, keys: ['Ctrl+U'], enabled: withGroup, run: on((document) => document.selectedNode !== null && document.edit({ kind: 'ungroup', node: document.selectedNode })) },
    { id: 'duplicate', menu: 'effects', group: 1, scope: 'rack', title: t.duplicate, keys: ['Ctrl+D'], enabled: withNode, run: on((document) => document.selectedNode !== null && document.edit({ kind: 'duplicate', node: document.selectedNode })) },
    { id: 'bypass', menu: 'effects', group: 1, scope: 'rack', title: t.bypass, keys: ['Y'], enabled: withNode, run: on(toggleBypass) },
    { id: 'remove', menu: 'effects', group: 1, scope: 'rack', title: t.remove, keys: ['Ctrl+Delete'], enabled: withNode, run: on(removeNode) },
    { id: 'move-up', menu: 'effects', group: 1, scope: 'rack', title: t.moveUp, keys: ['Alt+Up'], enabled: withNode, run: on((document) => moveNode(document, (chain, node) => stepPlace(chain, node, -1))) },
    { id: 'move-down', menu: 'effects', group: 1, scope: 'rack', title: t.moveDown, keys: ['Alt+Down'], enabled: withNode, run: on((document) => moveNode(document, (chain, node) => stepPlace(chain, node, 1))) },
    { id: 'move-into', menu: 'effects', group: 1, scope: 'rack', title: t.moveInto, keys: ['Alt+Right'], unlisted: true, enabled: withNode, run: on((document) => moveNode(document, intoPlace)) },
    { id: 'move-out', menu: 'effects', group: 1, scope: 'rack', title: t.moveOut, keys: ['Alt+Left'], unlisted: true, enabled: withNode, run: on((document) => moveNode(document, outPlace)) },
    { id: 'next-slot', menu: 'effects', group: 1, scope: 'rack', title: t.nextSlot, keys: ['Down'], unlisted: true, enabled: withDocument, run: on((document) => nextSlot(document, 1, false)) },
    { id: 'previous-slot', menu: 'effects', group: 1, scope: 'rack', title: t.previousSlot, keys: ['Up'], unlisted: true, enabled: withDocument, run: on((document) => nextSlot(document, -1, false)) },
    { id: 'extend-down', menu: 'effects', group: 1, scope: 'rack', title: t.extendDown, keys: ['Shift+Down'], unlisted: true, enabled: withNode, run: on((document) => nextSlot(document, 1, true)) },
    { id: 'extend-up', menu: 'effects', group: 1, scope: 'rack', title: t.extendUp, keys: ['Shift+Up'], unlisted: true, enabled: withNode, run: on((document) => nextSlot(document, -1, true)) },
  ]),

  { id: 'palette', menu: 'help', group: 0, title: t.palette, keys: ['Ctrl+K'], run: (app) => (app.dialogs.open = 'palette') },
  { id: 'shortcuts', menu: 'help', group: 0, title: t.shortcuts, keys: ['Ctrl+/'], run: (app) => (app.dialogs.open = 'shortcuts') },
  { id: 'keyboard-settings', menu: 'help', group: 0, title: t.keyboardSettings, keys: [], run: (app) => app.dialogs.showSettings('keyboard') },
  {
    id: 'effects-reference',
    menu: 'help',
    group: 0,
    title: t.effectsReference,
    keys: ['Shift+F1'],
    run: (app) => app.dialogs.showEffect(selectedEffect(app)),
  },
  ...of('editor', [
    { id: 'describe', menu: 'help', group: 0, title: t.describe, keys: ['I'], enabled: withDocument, run: (app) => (app.dialogs.open = 'describe') },
  ]),
  { id: 'about', menu: 'help', group: 1, title: t.about, keys: [], run: (app) => (app.dialogs.open = 'about') },
];

export const isOn = (command: Command, page: PageName): boolean => (command.page ?? page) === page;
export const isEnabled = (command: Command, app: App, combo?: string): boolean => isOn(command, app.page) && (command.enabled?.(app, combo) ?? true);
/** The reason why a command cannot run now; null if it can. */
export function reasonOf(command: Command, app: App): string | null {
  if (command.page && !isOn(command, app.page)) return text.reasons.otherPage(text.pages[command.page]);
  return command.enabled && !command.enabled(app) ? command.enabled.reason(app) : null;
}
export const labelOf = (command: Command, app: App): string => command.label?.(app) ?? command.title;
