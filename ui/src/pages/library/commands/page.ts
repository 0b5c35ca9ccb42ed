// Commands of the library's page.

import { tick } from 'svelte';
import { LIBRARY_TABS } from '../state/library.svelte';
import type { App } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { all, changeable, when } from '../../../commands/conditions';
import { tableCommands } from './table';
import { questionCommands } from './questions';
import { separateTracks } from '../../../commands/stems';
import type { Command } from '../../../commands/table';

const t = text.commands;

const { reasons } = text;
const isScanning = (app: App): boolean => app.library.scanning && app.library.scan?.phase !== 'stopping';
const isPaused = (app: App): boolean => ['paused', 'pausing'].includes(app.library.scan?.phase ?? 'done');
const selected = (app: App): number => app.library.selection.count(app.library.rows.total ?? 0);

const scanning = when(isScanning, (app) => (app.library.scanning ? reasons.stopping : reasons.notScanning));
const paused = when(isPaused, reasons.notPaused);
const opened = when((app) => app.library.view !== null, reasons.noLibrary);
const atRest = when((app) => !isScanning(app), reasons.scanning);
const withFolders = when((app) => (app.library.view?.folders.length ?? 0) > 0, reasons.noFolders);
const withCurrent = when((app) => app.library.current !== null, reasons.noTrack);
const withTrack = when((app) => app.library.current !== null || selected(app) > 0, reasons.noTrack);
const withTracks = when((app) => (app.library.rows.total ?? 0) > 0, reasons.noTracks);
const playlistOpen = (app: App): boolean => app.library.panelOpen && app.library.panel === 'playlist';
const withPath = when((app) => playlistOpen(app) && app.library.questions.playlist.kind === 'between' && app.library.questions.playlist.first !== null, reasons.noPath);
const withPlaylist = when((app) => playlistOpen(app) && (app.library.questions.playlist.view?.tracks.length ?? 0) > 0, reasons.noPlaylist);
const inTracks = when((app) => app.library.tab === 'tracks', reasons.tracksView);
const withChosen = when((app) => selected(app) > 0, reasons.noTracksChosen);

const command = (id: string, menu: Command['menu'], group: number, title: string, keys: string[], run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu, group, title, keys, run, page: 'library', ...more });

/** Runs an action on the selected tracks, or on the current one. */
const onChosen = (action: (app: App, tracks: number[]) => unknown) => async (app: App) => action(app, await app.library.chosen());

export const libraryCommands: Command[] = [
  { id: 'page-library', menu: 'view', group: 7, title: t.pageLibrary, keys: ['Ctrl+2'], checked: (app) => app.page === 'library', run: (app) => app.showPage('library') },

  command('tracks-all', 'edit', 0, t.tracksAll, ['Ctrl+A'], (app) => app.library.selection.everything(), { enabled: all(inTracks, withTracks) }),
  command('tracks-none', 'edit', 0, t.tracksNone, ['Escape'], (app) => app.library.selection.clear(), { enabled: all(inTracks, withChosen) }),
  command('tracks-find', 'edit', 1, t.tracksFind, ['Ctrl+F'], findTracks, { enabled: opened }),

  ...LIBRARY_TABS.map((tab, at) => command(`library-${tab}`, 'view', 0, t.libraryTab(text.library.tabs[tab]), [`Alt+${at + 1}`], (app) => (app.library.tab = tab), { checked: (app) => app.library.tab === tab })),
  command('library-folders', 'view', 4, t.libraryFolders, ['Ctrl+['], toggleFolders, { checked: (app) => app.library.foldersOpen }),
  command('library-panel', 'view', 4, t.libraryPanel, ['Ctrl+]'], togglePanel, { checked: (app) => app.library.panelOpen }),

  command('add-folders', 'library', 0, t.addFolders, ['Ctrl+Shift+O'], (app) => app.library.addFolders(), { enabled: all(opened, changeable) }),
  command('scan', 'library', 1, t.scan, ['F5'], (app) => app.library.startScan(), { enabled: all(opened, changeable, atRest, withFolders) }),
  command('scan-pause', 'library', 1, t.scanPause, [], (app) => app.library.steer('library.pause_scan'), { enabled: all(scanning, when((app) => !isPaused(app), reasons.notScanning)) }),
  command('scan-resume', 'library', 1, t.scanResume, [], (app) => app.library.steer('library.resume_scan'), { enabled: paused }),
  command('scan-cancel', 'library', 1, t.scanCancel, [], (app) => app.library.steer('library.cancel_scan'), { enabled: scanning }),
  command('watch', 'library', 1, t.watch, [], (app) => app.library.watch(!app.library.view?.watched), { enabled: all(opened, changeable), checked: (app) => app.library.view?.watched === true }),
  command('tracks-open', 'library', 2, t.tracksOpen, ['Ctrl+Enter'], (app) => app.library.openChosen(), { enabled: withTrack, within: { tracks: ['Enter'] } }),
  command('tracks-separate', 'library', 2, text.stems.command, [], separateTracks, { enabled: withTrack }),
  command('track-similar', 'library', 2, t.trackSimilar, ['Ctrl+L'], (app) => app.library.current !== null && app.library.showSimilar(app.library.current), { enabled: withCurrent }),
  command('track-file', 'library', 2, t.trackFile, [], (app) => app.library.current !== null && app.library.showFile(app.library.current), { enabled: withCurrent }),
  command('playlist', 'library', 3, t.playlist, [], (app) => app.library.showPlaylist(), { enabled: withTracks }),
  command('playlist-like', 'library', 3, t.playlistLike, [], (app) => app.library.current !== null && app.library.showPlaylistLike(app.library.current), { enabled: withCurrent }),
  command('playlist-path', 'library', 3, t.playlistPath, [], (app) => app.library.current !== null && app.library.showPath(app.library.current), { enabled: withCurrent }),
  command('playlist-end', 'library', 3, t.playlistEnd, [], (app) => app.library.current !== null && app.library.questions.playlist.take('last', app.library.current), { unlisted: true, enabled: all(withPath, withCurrent) }),
  command('playlist-save', 'library', 3, t.playlistSave, [], (app) => app.library.questions.playlist.save(), { unlisted: true, enabled: withPlaylist }),
  command('tags-write', 'library', 4, t.tagsWrite, [], (app) => app.library.showTags(), { enabled: all(changeable, withTracks) }),
  command('tags-history', 'library', 4, t.tagsHistory, [], (app) => app.library.questions.tags.open('history'), { enabled: opened }),
  command('tracks-bin', 'library', 5, t.tracksBin, [], onChosen((app, tracks) => app.library.askToBin(tracks)), { enabled: all(changeable, withTrack), within: { tracks: ['Delete'] } }),
  command('tracks-export', 'library', 6, t.tracksExport, [], (app) => app.library.exportTracks(), { enabled: withTracks }),
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
