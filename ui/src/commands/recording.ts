// Recording and live sound.

import type { TakeTrack } from '../bindings';
import type { App } from '../state/app.svelte';
import { text } from '../text/catalogue';
import { all, when, withDocument } from './conditions';
import type { DocumentState } from '../state/document.svelte';
import type { Command } from './table';

const t = text.recording;
const isRecording = when((app) => app.recording.records, t.notRecording);
const isPausable = all(isRecording, when((app) => app.recording.onto === null, t.overdub.cannotPause));
const isFree = when((app) => !app.recording.records, t.running);

/** Records into a new document, or ends the current recording. */
export const toggleRecording = (app: App): Promise<void> => (app.recording.records ? app.recording.stop() : app.recording.start(null));

const togglePause = (app: App): Promise<void> => app.recording.pause(app.recording.recorder?.state !== 'paused');

export const toggleLive = (app: App): Promise<void> => (app.recording.live ? app.recording.stopLive() : app.recording.startLive(app.documents.activeId));

/** Records onto the chosen track, or a new one, of the active document. */
const onto = (track: TakeTrack) => (app: App): unknown => {
  const document: DocumentState | null = app.documents.active;
  return document && app.recording.startOnto(document, track);
};

export const recordingCommands: Command[] = [
  { id: 'record', menu: 'transport', group: 3, title: t.record, keys: ['R'], once: true, checked: (app) => app.recording.records, label: (app) => (app.recording.records ? t.stop : t.record), run: toggleRecording },
  { id: 'record-onto', menu: 'transport', group: 3, sub: { menu: 'recording' }, title: t.onto, keys: ['Alt+R'], once: true, page: 'editor', enabled: all(withDocument, isFree), label: (app) => (app.documents.active?.selection ? t.ontoSelection : t.onto), run: onto('front') },
  { id: 'record-onto-new', menu: 'transport', group: 3, sub: { menu: 'recording' }, title: t.ontoNew, keys: ['Alt+Shift+R'], once: true, page: 'editor', enabled: all(withDocument, isFree), run: onto('new') },
  { id: 'record-append', menu: 'transport', group: 3, sub: { menu: 'recording' }, title: t.append, keys: ['Shift+R'], once: true, page: 'editor', enabled: all(withDocument, isFree), run: (app) => app.recording.start(app.documents.activeId) },
  { id: 'record-pause', menu: 'transport', group: 3, sub: { menu: 'recording' }, title: t.pause, keys: ['Ctrl+Shift+R'], once: true, enabled: isPausable, label: (app) => (app.recording.recorder?.state === 'paused' ? t.resume : t.pause), run: togglePause },
  { id: 'record-arm', menu: 'transport', group: 3, sub: { menu: 'recording' }, title: t.arm, keys: [], enabled: isFree, checked: (app) => app.recording.recorder !== null, run: (app) => (app.recording.recorder ? app.recording.disarm() : app.recording.arm()) },
  { id: 'live', menu: 'transport', group: 3, title: text.live.start, keys: [], checked: (app) => app.recording.live !== null, run: toggleLive },
];
