// Words of cutting, pasting and what else is made of the sound.

export const soundEdits = {
  cut: 'Cut',
  copy: 'Copy',
  insertSilence: 'Insert silence…',
  insertFile: 'Insert file…',
  snapToZero: 'Move selection to zero crossings',
  noCopy: 'Nothing has been copied yet. Select a part and copy it first.',
  commands: {
    paste: 'Paste',
    paste_over: 'Paste over',
    delete: 'Delete',
    trim: 'Trim to selection',
    silence: 'Silence selection',
    duplicate: 'Duplicate selection',
    reverse: 'Reverse',
    split: 'Split',
    join: 'Join',
  },
  silence: {
    title: 'Insert silence',
    label: 'Length',
    insert: 'Insert',
    atCursor: 'At the cursor.',
    forSelection: 'In place of the selection.',
  },
  joins: {
    crossfade: 'Cross-fade',
    crossfadeHelp: 'Edits fade from one side of a cut to the other over this length. 0 joins the plain samples.',
    ms: 'ms',
    shape: 'Shape',
    shapes: { equal_power: 'Equal power', linear: 'Linear' },
  },
};
