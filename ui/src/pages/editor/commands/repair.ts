// Edits of the selected part of the recording: each adds an effect before all others.

import type { RepairName } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { canRepair } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const repair = (effect: RepairName, key: string): Command => ({
  id: effect,
  menu: 'edit',
  group: 4,
  sub: { menu: 'repair' },
  title: text.repairs[effect].command,
  keys: [key],
  enabled: canRepair(effect),
  run: (app) => app.repair(effect),
});

export const repairCommands: Command[] = [repair('spectral_gain', 'Ctrl+Shift+D'), repair('spectral_isolate', 'Ctrl+Shift+I'), repair('spectral_heal', 'Ctrl+Shift+H')];
