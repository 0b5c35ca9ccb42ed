// Commands of the page for many files.

import type { App } from '../state/app.svelte';
import { text } from '../text/catalogue';
import type { Command } from './table';

const t = text.commands;

const command = (id: string, group: number, title: string, keys: string[], run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'batch', group, title, keys, run, page: 'batch', ...more });

const atRest = (app: App): boolean => app.batch.settings !== null && !app.batch.running;
const withInputs = (app: App): boolean => atRest(app) && app.batch.items.length > 0;
const shown = (app: App) => app.batch.current && ['done', 'skipped'].includes(app.batch.current.state);

export const batchCommands: Command[] = [
  { id: 'batch', menu: 'file', group: 1, title: t.batch, keys: ['Ctrl+Shift+B'], run: (app) => app.showPage('batch') },
  command('batch-files', 0, t.batchFiles, ['Ctrl+Shift+O'], (app) => app.batch.addFiles(), { enabled: atRest }),
  command('batch-folders', 0, t.batchFolders, ['Ctrl+Shift+D'], (app) => app.batch.addFolders(), { enabled: atRest }),
  command('batch-output', 0, t.batchOutput, ['Ctrl+Shift+S'], (app) => app.batch.chooseOutput(), { enabled: atRest }),
  command('batch-start', 1, t.batchStart, ['Ctrl+Enter'], (app) => app.batch.start(), { enabled: (app) => atRest(app) && app.batch.obstacle === null }),
  command('batch-pause', 1, t.batchPause, ['Ctrl+Shift+Enter'], (app) => app.batch.steer(app.batch.status?.phase === 'paused' ? 'resume_batch' : 'pause_batch'), { enabled: (app) => app.batch.running, checked: (app) => app.batch.status?.phase === 'paused' }),
  command('batch-cancel', 1, t.batchCancel, ['Ctrl+Backspace'], (app) => app.batch.steer('cancel_batch'), { enabled: (app) => app.batch.running }),
  command('batch-all', 2, t.batchAll, ['Ctrl+A'], (app) => app.batch.chooseAll(), { enabled: (app) => app.batch.items.length > 0 }),
  command('batch-show', 2, t.batchShow, [], (app) => app.batch.current && app.batch.show(app.batch.current), { enabled: (app) => shown(app) === true, within: { inputs: ['Enter'] } }),
  command('batch-remove', 2, t.batchRemove, [], (app) => app.batch.remove(), { enabled: (app) => withInputs(app) && app.batch.index !== null, within: { inputs: ['Delete'] } }),
  command('batch-clear', 2, t.batchClear, [], (app) => app.batch.clear(), { enabled: withInputs }),
  command('batch-copy', 3, t.batchCopy, ['Ctrl+Shift+C'], (app) => app.batch.copyFailures(), { enabled: (app) => app.batch.failed.length > 0 }),
  command('batch-report', 3, t.batchReport, [], (app) => app.batch.saveReport(), { enabled: (app) => app.batch.items.length > 0 }),
];
