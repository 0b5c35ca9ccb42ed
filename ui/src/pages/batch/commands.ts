// Commands of the batch page.

import { text } from '../../text/catalogue';
import { all, when } from '../../commands/conditions';
import type { Command } from '../../commands/table';

const t = text.commands;

const command = (id: string, group: number, title: string, keys: string[], run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'batch', group, title, keys, run, page: 'batch', ...more });

const { reasons } = text;
const atRest = all(when((app) => app.batch.settings !== null, reasons.batchLoading), when((app) => !app.batch.running, reasons.batchRunning));
const running = when((app) => app.batch.running, reasons.batchResting);
const withFiles = when((app) => app.batch.items.length > 0, reasons.noFiles);
const withInputs = all(atRest, withFiles);
const withInput = all(withInputs, when((app) => app.batch.index !== null, reasons.noFile));
const withOutput = when((app) => app.batch.current !== null && ['done', 'skipped'].includes(app.batch.current.state), reasons.noOutput);
const withFailures = when((app) => app.batch.failed.length > 0, reasons.noFailures);
const ready = all(atRest, when((app) => app.batch.obstacle === null, (app) => app.batch.obstacle ?? ''));

export const batchCommands: Command[] = [
  { id: 'batch', menu: 'file', group: 1, title: t.batch, keys: ['Ctrl+Shift+B'], run: (app) => app.showPage('batch') },
  command('batch-files', 0, t.batchFiles, ['Ctrl+Shift+O'], (app) => app.batch.addFiles(), { enabled: atRest }),
  command('batch-folders', 0, t.batchFolders, ['Ctrl+Shift+D'], (app) => app.batch.addFolders(), { enabled: atRest }),
  command('batch-output', 0, t.batchOutput, ['Ctrl+Shift+S'], (app) => app.batch.chooseOutput(), { enabled: atRest }),
  command('batch-start', 1, t.batchStart, ['Ctrl+Enter'], (app) => app.batch.start(), { enabled: ready }),
  command('batch-pause', 1, t.batchPause, ['Ctrl+Shift+Enter'], (app) => app.batch.steer(app.batch.status?.phase === 'paused' ? 'batch.resume' : 'batch.pause'), { enabled: running, checked: (app) => app.batch.status?.phase === 'paused' }),
  command('batch-cancel', 1, t.batchCancel, ['Ctrl+Backspace'], (app) => app.batch.steer('batch.cancel'), { enabled: running }),
  command('batch-all', 2, t.batchAll, ['Ctrl+A'], (app) => app.batch.chooseAll(), { enabled: withFiles }),
  command('batch-show', 2, t.batchShow, [], (app) => app.batch.current && app.batch.show(app.batch.current), { enabled: withOutput, within: { inputs: ['Enter'] } }),
  command('batch-remove', 2, t.batchRemove, [], (app) => app.batch.remove(), { enabled: withInput, within: { inputs: ['Delete'] } }),
  command('batch-clear', 2, t.batchClear, [], (app) => app.batch.clear(), { enabled: withInputs }),
  command('batch-copy', 3, t.batchCopy, [], (app) => app.batch.copyFailures(), { enabled: withFailures }),
  command('batch-report', 3, t.batchReport, [], (app) => app.batch.saveReport(), { enabled: withFiles }),
];
