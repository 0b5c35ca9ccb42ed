// Commands of effects that act on a part of the recording.

import { partAround, type PartNode } from '../lib/parts';
import type { DocumentState } from '../../../state/document.svelte';
import { text } from '../../../text/catalogue';
import { all, onAllChannels, when, withNode, withSelection } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

/** Selects the part of the recording on which effects act. */
export function selectPart(document: DocumentState, part: PartNode): void {
  const frame = (seconds: number) => Math.min(document.data.frames, Math.round(seconds * document.data.rate));
  document.commitSelection({ start: frame(part.span.from_s), end: frame(part.span.to_s) }, null);
}

export const partCommands: Command[] = [
  {
    id: 'act-on-selection',
    menu: 'effects',
    group: 2,
    scope: 'rack',
    title: text.parts.toSelection,
    keys: ['Ctrl+Shift+A'],
    enabled: all(
      withNode,
      withSelection,
      onAllChannels,
      when((app) => {
        const document = app.documents.active;
        return document?.selectedNode == null || partAround(document.chain, document.selectedNode) === null;
      }, text.parts.inAnother),
    ),
    run: (app) => {
      const document = app.documents.active;
      if (document) document.edit({ kind: 'act_on_selection', nodes: document.chosen });
    },
  },
];
