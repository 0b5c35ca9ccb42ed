// Commands of the library's queries and auditions: copies, answers, the map, the bar at the bottom.

import type { SimilarItem, TrackItem } from '../../../bindings';
import { COARSE_S, FINE_S } from '../state/audition.svelte';
import { clearChosen, hearPoint, openPoint, stepTo, toggleListening } from '../state/map-actions';
import type { App } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { all, changeable, when, type Condition } from '../../../commands/conditions';
import type { Command, Scope } from '../../../commands/table';

const t = text.commands;
const WAYS = ['Up', 'Down', 'PageUp', 'PageDown', 'Home', 'End'];
const ARROWS = ['Left', 'Right', 'Up', 'Down'];

const audition = (app: App) => app.library.questions.audition;
const copies = (app: App) => app.library.questions.copies;
const similar = (app: App) => app.library.questions.similar;
const playlist = (app: App) => app.library.questions.playlist;
const map = (app: App) => app.library.questions.map;

/** A command of a focus scope, also in the palette but not in the menus, which would grow too long. */
const local = (scope: Scope, id: string, title: string, keys: string[], enabled: Condition, run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'library', group: 9, page: 'library', unlisted: true, scope, title, keys, enabled, run, ...more });

const { reasons } = text;
const withCopy = when((app) => app.library.tab === 'duplicates' && copies(app).here !== null, reasons.noCopy);
const withAnswer = when((app) => app.library.panelOpen && app.library.panel === 'similar' && similar(app).here !== null, reasons.noAnswer);
const withQuestion = all(withAnswer, when((app) => similar(app).asked !== null, reasons.noQuestion));
const withListed = when((app) => app.library.panelOpen && app.library.panel === 'playlist' && playlist(app).here !== null, reasons.noPlaylistRow);
const withMap = when((app) => app.library.tab === 'map' && map(app).grid !== null, reasons.noMap);
const withPoint = all(withMap, when((app) => map(app).point !== -1, reasons.noPoint));
const withPoints = all(withMap, when((app) => map(app).chosen.size > 0, reasons.noPoints));
const heard = when((app) => audition(app).pair !== null, reasons.notHeard);
const comparing = when((app) => audition(app).pair?.b != null, reasons.noPair);

const onAnswer =
  (action: (app: App, answer: SimilarItem) => unknown): Command['run'] =>
  (app) => {
    const { here } = similar(app);
    return here && action(app, here);
  };

const onListed =
  (action: (app: App, track: TrackItem) => unknown): Command['run'] =>
  (app) => {
    const { here } = playlist(app);
    return here && action(app, here);
  };

const listening = (id: string, title: string, keys: string[], enabled: Condition, run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'transport', group: 1, page: 'library', title, keys, enabled, run, ...more });

export const questionCommands: Command[] = [
  listening('audition-swap', t.auditionSwap, ['X'], comparing, (app) => audition(app).swap(), { once: true }),
  listening('audition-back', t.auditionBack, ['Left'], heard, (app) => audition(app).seekBy(-FINE_S)),
  listening('audition-forward', t.auditionForward, ['Right'], heard, (app) => audition(app).seekBy(FINE_S)),
  listening('audition-back-far', t.auditionBackFar, ['Shift+Left'], heard, (app) => audition(app).seekBy(-COARSE_S)),
  listening('audition-forward-far', t.auditionForwardFar, ['Shift+Right'], heard, (app) => audition(app).seekBy(COARSE_S)),
  local('listening', 'audition-play', t.auditionPlay, ['Space'], heard, (app) => audition(app).toggle(), { once: true }),

  local('copies', 'copy-move', t.copyMove, WAYS, withCopy, (app, combo) => copies(app).move(combo ?? ''), { byKey: true }),
  local('copies', 'copy-hear', t.copyHear, ['Space'], withCopy, (app) => copies(app).hearHere(), { once: true }),
  local('copies', 'copy-mark', t.copyMark, ['Delete'], all(changeable, withCopy), (app) => copies(app).markHere(), { once: true }),
  local('copies', 'copy-keep-best', t.copyKeepBest, ['Shift+Delete'], all(changeable, withCopy), (app) => copies(app).keepBestHere()),
  local('copies', 'copy-open', t.copyOpen, ['Enter'], withCopy, (app) => app.library.open(copies(app).tracksHere), { once: true }),

  local('answers', 'answer-move', t.answerMove, WAYS, withAnswer, (app, combo) => similar(app).move(combo ?? ''), { byKey: true }),
  local('answers', 'answer-play', t.answerPlay, ['Space'], withAnswer, onAnswer((app, { track }) => audition(app).toggleTrack(track)), { once: true }),
  local('answers', 'answer-compare', t.answerCompare, ['C'], withQuestion, onAnswer((app, { track }) => compare(app, track)), { once: true }),
  local('answers', 'answer-open', t.answerOpen, ['Enter'], withAnswer, onAnswer((app, { track }) => app.library.open([track.id])), { once: true }),

  local('playlist', 'playlist-move', t.playlistMove, WAYS, withListed, (app, combo) => playlist(app).move(combo ?? ''), { byKey: true }),
  local('playlist', 'playlist-play', t.playlistPlay, ['Space'], withListed, onListed((app, track) => audition(app).toggleTrack(track)), { once: true }),
  local('playlist', 'playlist-open', t.playlistOpen, ['Enter'], withListed, onListed((app, track) => app.library.open([track.id])), { once: true }),

  local('map', 'map-move', t.mapMove, ARROWS, withMap, (app, combo) => stepTo(app, combo ?? '', false), { byKey: true }),
  local('map', 'map-extend', t.mapExtend, ARROWS.map((key) => `Shift+${key}`), withMap, (app, combo) => stepTo(app, combo ?? '', true), { byKey: true }),
  local('map', 'map-zoom-in', t.mapZoomIn, ['='], withMap, (app) => map(app).zoomBy(1.5)),
  local('map', 'map-zoom-out', t.mapZoomOut, ['-'], withMap, (app) => map(app).zoomBy(1 / 1.5)),
  local('map', 'map-fit', t.mapFit, ['0', 'Home'], withMap, (app) => (map(app).window = null)),
  local('map', 'map-play', t.mapPlay, ['Space'], withPoint, (app) => hearPoint(app, map(app).point), { once: true }),
  local('map', 'map-open', t.mapOpen, ['Enter'], withPoint, (app) => openPoint(app, map(app).point), { once: true }),
  local('map', 'map-listen', t.mapListen, ['H'], withMap, toggleListening, { once: true, checked: (app) => map(app).listen }),
  local('map', 'map-clear', t.mapClear, ['Escape'], withPoints, clearChosen),
];

function compare(app: App, track: TrackItem): unknown {
  const { asked } = similar(app);
  return asked && audition(app).compareTracks(asked, track);
}
