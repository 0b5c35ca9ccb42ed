// Commands of the page that compares versions.

import { text } from '../../text/catalogue';
import { all, when, type Condition } from '../../commands/conditions';
import type { Command } from '../../commands/table';

const t = text.commands;
const { reasons } = text;

const command = (id: string, group: number, title: string, keys: string[], run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'compare', group, title, keys, run, page: 'compare', ...more });

const withVersions = when((app) => app.compare.versions.length > 0, reasons.noVersions);
const withVersion = all(withVersions, when((app) => app.compare.current !== null, reasons.noVersion));
const withTimeline = when((app) => app.compare.timeline !== null, reasons.noVersions);
const running = when((app) => app.compare.running, reasons.notComparing);
const canStart = when((app) => !app.compare.running && (app.compare.view?.waiting === true || app.compare.failed.length > 0), reasons.nothingWaits);
const withResults = when((app) => app.compare.others.some(({ state }) => state === 'compared'), reasons.noResults);
const withOpenDocument = when((app) => app.documents.active !== null, reasons.noDocument);
const canDiffer: Condition = when(
  (app) => app.compare.view?.heard?.kind === 'difference' || app.compare.canHear(app.compare.difference) === null,
  (app) => app.compare.canHear(app.compare.difference) ?? '',
);
const canRefer: Condition = when((app) => app.compare.canRefer(app.compare.current) === null, (app) => app.compare.canRefer(app.compare.current) ?? '');
const PLACES = [0, 1, 2, 3, 4, 5, 6, 7, 8];

export const compareCommands: Command[] = [
  { id: 'page-compare', menu: 'view', group: 7, title: t.pageCompare, keys: ['Ctrl+4'], checked: (app) => app.page === 'compare', run: (app) => app.showPage('compare') },
  command('compare-files', 0, t.compareFiles, ['Ctrl+Shift+O'], (app) => app.compare.addFiles()),
  command('compare-document', 0, t.compareDocument, ['Ctrl+Shift+D'], (app) => app.documents.active && app.compare.addDocument(app.documents.active.id), { enabled: withOpenDocument }),
  command('compare-remove', 0, t.compareRemove, [], (app) => app.compare.remove(), { enabled: withVersion, within: { versions: ['Delete'] } }),
  command('compare-reference', 1, t.compareReference, [], (app) => app.compare.makeReference(), { enabled: canRefer, within: { versions: ['Shift+Enter'] } }),
  command('compare-hear', 1, t.compareHear, [], (app) => app.compare.current && app.compare.hear({ kind: 'version', version: app.compare.current.id }), { enabled: withVersion, within: { versions: ['Enter'] } }),
  command('compare-difference', 1, t.compareDifference, ['N'], (app) => app.compare.toggleDifference(), { enabled: canDiffer, once: true, checked: (app) => app.compare.view?.heard?.kind === 'difference' }),
  ...PLACES.map((place) =>
    command(`compare-hear-${place + 1}`, 2, t.compareHearPlace(place + 1), [`${place + 1}`], (app) => app.compare.hearPlace(place), { unlisted: true, enabled: when((app) => app.compare.versions.length > place, reasons.noSuchVersion(place + 1)) }),
  ),
  command('compare-beside', 3, t.compareBeside, ['U'], (app) => (app.compare.seenHow = 'beside'), { enabled: withTimeline, checked: (app) => app.compare.seenHow === 'beside' }),
  command('compare-over', 3, t.compareOver, ['O'], (app) => (app.compare.seenHow = 'over'), { enabled: withTimeline, checked: (app) => app.compare.seenHow === 'over' }),
  command('compare-levels', 3, t.compareLevels, ['X'], (app) => (app.compare.seenHow = 'difference'), { enabled: withTimeline, checked: (app) => app.compare.seenHow === 'difference' }),
  command('compare-back', 4, t.back, ['Left'], (app) => app.compare.step(-1), { enabled: withTimeline, unlisted: true }),
  command('compare-forward', 4, t.forward, ['Right'], (app) => app.compare.step(1), { enabled: withTimeline, unlisted: true }),
  command('compare-to-start', 4, t.toStart, ['Home'], (app) => app.compare.goTo(0), { enabled: withTimeline, unlisted: true }),
  command('compare-equal', 5, t.compareEqual, [], (app) => app.compare.setMatchLevel(!app.compare.view?.match_level), { enabled: withVersions, checked: (app) => app.compare.view?.match_level === true }),
  command('compare-start', 5, t.compareStart, ['Ctrl+Enter'], (app) => app.compare.start(), { enabled: canStart }),
  command('compare-cancel', 5, t.compareCancel, ['Ctrl+Backspace'], (app) => app.compare.cancel(), { enabled: running }),
  command('compare-copy', 6, t.compareCopy, ['Ctrl+Shift+C'], (app) => app.compare.copy(), { enabled: withResults }),
  command('compare-csv', 6, t.compareCsv, [], (app) => app.compare.export('csv'), { enabled: withResults }),
  command('compare-json', 6, t.compareJson, [], (app) => app.compare.export('json'), { enabled: withResults }),
  command('compare-markdown', 6, t.compareMarkdown, [], (app) => app.compare.export('markdown'), { enabled: withResults }),
  command('compare-html', 6, t.compareHtml, ['Ctrl+Shift+S'], (app) => app.compare.export('html'), { enabled: withResults }),
  command('blind', 7, t.blind, ['Ctrl+B'], (app) => app.showPage('blind'), { enabled: withTimeline }),
  command('codecs', 7, t.codecs, [], (app) => app.showPage('codecs')),
];
