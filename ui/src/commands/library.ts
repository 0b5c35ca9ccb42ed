// Commands of the pages, and of the library's page.

import { tick } from 'svelte';
import { LIBRARY_TABS } from '../state/library.svelte';
import type { App } from '../state/app.svelte';
import { text } from '../text/catalogue';
import { tableCommands } from './library-table';
import { questionCommands } from './questions';
import type { Command } from './table';

const t = text.commands;

const scanning = (app: App): boolean => app.library.scanning && app.library.scan?.phase !== 'stopping';
const paused = (app: App): boolean => ['paused', 'pausing'].includes(app.library.scan?.phase ?? 'done');
const opened = (app: App): boolean => app.library.view !== null;
const withTrack = (app: App): boolean => app.library.current !== null || app.library.selection.count(app.library.rows.total ?? 0) > 0;
const withTracks = (app: App): boolean => (app.library.rows.total ?? 0) > 0;

const command = (id: string, menu: Command['menu'], group: number, title: string, keys: string[], run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu, group, title, keys, run, page: 'library', ...more });

/** With what is chosen: the selected tracks, or the current one. */
const withChosen = (action: (app: App, tracks: number[]) => unknown) => async (app: App) => action(app, await app.library.chosen());

export const libraryCommands: Command[] = [
  { id: 'page-editor', menu: 'view', group: 8, title: t.pageEditor, keys: ['Ctrl+1'], checked: (app) => app.page === 'editor', run: (app) => app.showPage('editor') },
  { id: 'page-library', menu: 'view', group: 8, title: t.pageLibrary, keys: ['Ctrl+2'], checked: (app) => app.page === 'library', run: (app) => app.showPage('library') },

  command('tracks-all', 'edit', 0, t.tracksAll, ['Ctrl+A'], (app) => app.library.selection.everything(), { enabled: (app) => app.library.tab === 'tracks' && withTracks(app) }),
  command('tracks-none', 'edit', 0, t.tracksNone, ['Escape'], (app) => app.library.selection.clear(), { enabled: (app) => app.library.tab === 'tracks' && app.library.selection.count(app.library.rows.total ?? 0) > 0 }),
  command('tracks-find', 'edit', 1, t.tracksFind, ['Ctrl+F'], findTracks, { enabled: opened }),

  ...LIBRARY_TABS.map((tab, at) => command(`library-${tab}`, 'view', 0, t.libraryTab(text.library.tabs[tab]), [`Alt+${at + 1}`], (app) => (app.library.tab = tab), { checked: (app) => app.library.tab === tab })),
  command('library-folders', 'view', 1, t.libraryFolders, ['Ctrl+['], toggleFolders, { checked: (app) => app.library.foldersOpen }),
  command('library-panel', 'view', 1, t.libraryPanel, ['Ctrl+]'], togglePanel, { checked: (app) => app.library.panelOpen }),

  command('add-folders', 'library', 0, t.addFolders, ['Ctrl+Shift+O'], (app) => app.library.addFolders(), { enabled: opened }),
  command('scan', 'library', 1, t.scan, ['F5'], (app) => app.library.startScan(), { enabled: (app) => opened(app) && !scanning(app) && (app.library.view?.folders.length ?? 0) > 0 }),
  command('scan-pause', 'library', 1, t.scanPause, [], (app) => app.library.steer('pause_scan'), { enabled: (app) => scanning(app) && !paused(app) }),
  command('scan-resume', 'library', 1, t.scanResume, [], (app) => app.library.steer('resume_scan'), { enabled: paused }),
  command('scan-cancel', 'library', 1, t.scanCancel, [], (app) => app.library.steer('cancel_scan'), { enabled: scanning }),
  command('watch', 'library', 1, t.watch, [], (app) => app.library.watch(!app.library.view?.watch.on), { enabled: opened, checked: (app) => app.library.view?.watch.on === true }),
  command('tracks-open', 'library', 2, t.tracksOpen, ['Ctrl+Enter'], (app) => app.library.openChosen(), { enabled: withTrack, within: { tracks: ['Enter'] } }),
  command('track-similar', 'library', 2, t.trackSimilar, ['Ctrl+L'], (app) => app.library.current !== null && app.library.showSimilar(app.library.current), { enabled: (app) => app.library.current !== null }),
  command('track-file', 'library', 2, t.trackFile, [], (app) => app.library.current !== null && app.library.showFile(app.library.current), { enabled: (app) => app.library.current !== null }),
  command('tracks-bin', 'library', 3, t.tracksBin, [], withChosen((app, tracks) => app.library.askToBin(tracks)), { enabled: withTrack, within: { tracks: ['Delete'] } }),
  command('tracks-export', 'library', 4, t.tracksExport, [], (app) => app.library.exportTracks(), { enabled: withTracks }),
  ...tableCommands,
  ...questionCommands,
];

async function findTracks(app: App): Promise<void> {
  app.library.tab = 'tracks';
  await tick();
  document.getElementById('library-query')?.focus();
}

function toggleFolders(app: App): void {
  app.library.foldersOpen = !app.library.foldersOpen;
  app.settings.panesChanged();
}

function togglePanel(app: App): void {
  app.library.panelOpen = !app.library.panelOpen;
  app.settings.panesChanged();
}
