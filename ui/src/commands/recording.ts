// Recording and live sound.

import type { App } from '../state/app.svelte';
import { text } from '../text/catalogue';
import { all, when, withDocument } from './conditions';
import type { Command } from './table';

const t = text.recording;
const isRecording = when((app) => app.recording.records, t.notRecording);
const isFree = when((app) => !app.recording.records, t.running);

/** Records into a new document, or ends what is recorded. */
export const toggleRecording = (app: App): Promise<void> => (app.recording.records ? app.recording.stop() : app.recording.start(null));

const togglePause = (app: App): Promise<void> => app.recording.pause(app.recording.recorder?.state !== 'paused');

export const toggleLive = (app: App): Promise<void> => (app.recording.live ? app.recording.stopLive() : app.recording.startLive(app.documents.activeId));

export const recordingCommands: Command[] = [
  { id: 'record', menu: 'transport', group: 3, title: t.record, keys: ['R'], once: true, checked: (app) => app.recording.records, label: (app) => (app.recording.records ? t.stop : t.record), run: toggleRecording },
  { id: 'record-append', menu: 'transport', group: 3, title: t.append, keys: ['Shift+R'], once: true, page: 'editor', enabled: all(withDocument, isFree), run: (app) => app.recording.start(app.documents.activeId) },
  { id: 'record-pause', menu: 'transport', group: 3, title: t.pause, keys: ['Ctrl+Shift+R'], once: true, enabled: isRecording, label: (app) => (app.recording.recorder?.state === 'paused' ? t.resume : t.pause), run: togglePause },
  { id: 'record-arm', menu: 'transport', group: 3, title: t.arm, keys: [], enabled: isFree, checked: (app) => app.recording.recorder !== null, run: (app) => (app.recording.recorder ? app.recording.disarm() : app.recording.arm()) },
  { id: 'live', menu: 'transport', group: 3, title: text.live.start, keys: [], checked: (app) => app.recording.live !== null, run: toggleLive },
];
