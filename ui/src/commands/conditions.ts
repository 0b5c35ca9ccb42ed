// When a command can run, and why it cannot.

import { HEAL_LONGEST_S } from '../bindings';
import { isGroup, placeOf } from '../lib/chain';
import type { App, RepairName } from '../state/app.svelte';
import { text } from '../text/catalogue';

/** A test that gives a reason for every "no". `combo` is the key that invoked the command, if any. */
export interface Condition {
  (app: App, combo?: string): boolean;
  reason(app: App): string;
}

type Test = (app: App, combo?: string) => boolean;

export const when = (test: Test, reason: string | ((app: App) => string)): Condition =>
  Object.assign((app: App, combo?: string) => test(app, combo), { reason: typeof reason === 'string' ? () => reason : reason });

/** True if all conditions are; otherwise the reason is from the first that fails. */
export const all = (...conditions: Condition[]): Condition =>
  when(
    (app, combo) => conditions.every((condition) => condition(app, combo)),
    (app) => (conditions.find((condition) => !condition(app)) ?? conditions[0])?.reason(app) ?? '',
  );

const t = text.reasons;

export const withDocument = when((app) => app.documents.active !== null, t.noDocument);
export const withSelection = all(withDocument, when((app) => app.documents.active?.selection != null, t.noSelection));
/** Whether anything is selected: a part, or only some channels. */
export const withRegion = all(withDocument, when((app) => app.documents.active?.selection != null || app.documents.active?.channels != null, t.noSelection));
/** Whether edits act on all channels, as edits that move sound must. */
export const withAllChannels = all(withDocument, when((app) => app.documents.active?.channels == null, t.someChannels));
/** Whether an effect can act on exactly the selection: effects act on all channels. */
export const onAllChannels = when((app) => app.documents.active?.channels == null, t.effectsOnAll);
export const withSeveralChannels = all(
  withDocument,
  when((app) => (app.documents.active?.data.channels ?? 0) > 1, t.oneChannel),
  when((app) => app.documents.active?.data.chosen !== 'sum', t.channelsOfSum),
);
export const withSpectrogram = all(withDocument, when((app) => app.settings.now.spectrogram.display.blend > 0, t.noSpectrogram));
export const withDocuments = when((app) => app.documents.all.length > 1, t.oneDocument);
export const withNode = all(withDocument, when((app) => app.documents.active?.selectedNode != null, t.noSlot));
export const withOthers = all(withDocument, when((app) => (app.documents.active?.chosen.length ?? 0) > 1, t.oneSlot));
export const withGroup = all(
  withNode,
  when((app) => {
    const node = selectedNode(app);
    return node !== null && isGroup(node);
  }, t.noGroup),
);

/** Whether the library may be changed. */
export const changeable = when((app) => app.library.fixed === null, (app) => app.library.fixed ?? t.noLibrary);

export function selectedNode(app: App) {
  const document = app.documents.active;
  const place = document?.selectedNode == null ? null : placeOf(document.chain.nodes, document.selectedNode);
  return place?.siblings[place.index] ?? null;
}

/** Whether the selected part can be repaired; healing, which has to guess the whole part, takes only a short one. */
export const canRepair = (effect: RepairName): Condition =>
  effect === 'spectral_heal'
    ? all(withSelection, onAllChannels, when((app) => selectedSeconds(app) <= HEAL_LONGEST_S, t.tooLongToHeal(HEAL_LONGEST_S)))
    : all(withSelection, onAllChannels);

function selectedSeconds(app: App): number {
  const document = app.documents.active;
  const selection = document?.selection;
  return document && selection ? (selection.end - selection.start) / document.data.rate : 0;
}
