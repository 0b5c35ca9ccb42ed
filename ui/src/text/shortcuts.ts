// The words of the command palette and the sheet of shortcuts.

import { paletteAnswers } from './palette';

export const palette = {
  title: 'Command palette',
  search: 'Type a command or an effect',
  none: 'No matching commands or effects.',
  effect: 'Effect',
  answers: paletteAnswers,
};

/** Keys as they are engraved, by their names in the table of commands. */
export const keys: Record<string, string> = {
  Ctrl: 'Ctrl',
  Shift: 'Shift',
  Alt: 'Alt',
  Space: 'Space',
  Enter: 'Enter',
  Home: 'Home',
  End: 'End',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
  Escape: 'Esc',
  Delete: 'Del',
  ContextMenu: 'Menu',
};

export const shortcuts = { title: 'Keyboard shortcuts', search: 'Search commands and keys', none: 'No matches.', controls: 'Everywhere', controlRows: [
  ['Space', 'Always plays or stops, on buttons and sliders too; it types in fields, and chooses in menus and dialogs'],
  ['Enter', 'Press the focused button or check box'],
  ['Tab, Shift+Tab', 'Next, previous control'],
  ['Right click', 'Menu of what is under the pointer'],
  ['Escape', 'Close the innermost menu, panel or dialog; bring back a value that is being typed'],
] as [string, string][], sliders: 'Sliders', sliderRows: [
  ['Arrow keys', 'Fine step'],
  ['Shift with these', '1/10 step'],
  ['Page Up, Page Down', 'Coarse step'],
  ['Home, End', 'Minimum, maximum'],
  ['Double click', 'Reset'],
  ['Wheel', 'Step, if focused'],
] as [string, string][], lanes: 'Waveform', wheelKeys: { plain: 'Wheel', ctrl: 'Ctrl+wheel', shift: 'Shift+wheel', pinch: 'Pinch' }, wheelActions: { scroll: 'Scroll', zoom: 'Zoom at the pointer' }, laneRows: [
  ['Wheel over the level ruler', 'Taller or lower waveform'],
  ['Drag', 'Select, as the tool says: time, or time and frequency'],
  ['Ctrl+drag', 'Select as the other tool does, for once'],
  ['Shift+click', 'Extend the selection'],
  ['Double click', 'Select between silences'],
  ['Shift+Left, Shift+Right', 'Extend the selection'],
  ['Up, Down', 'Move the cursor’s frequency'],
  ['Shift+Up, Shift+Down', 'Select frequencies'],
  ['Ctrl+Shift+wheel', 'Zoom frequencies at the pointer'],
  ['Drag the frequency ruler', 'Scroll frequencies'],
  ['Drag the colour ruler', 'Gain; with Shift or the wheel: range'],
] as [string, string][],
  /** Where keys belong to what has the focus. */
  scopes: { tracks: 'Library: tracks', copies: 'Library: duplicates', answers: 'Library: sounds like', playlist: 'Library: playlist', map: 'Library: map', listening: 'Library: listening', inputs: 'Batch: files', versions: 'Compare: versions', markers: 'Markers' },
  tableRows: [
    ['Letters', 'Go to titles that start with them'],
    ['Double click', 'Open in editor'],
    ['Ctrl+click', 'Select or deselect track'],
    ['Shift+click', 'Extend the selection'],
    ['Shift+click a column header', 'Sort by this column second'],
    ['Alt+Left, Alt+Right on a column header', 'Move column'],
    ['Shift+Left, Shift+Right on a column header', 'Change column width'],
    ['Double click a column header’s edge', 'Fit column to content'],
  ] as [string, string][],
  markerRows: [
    ['Left, Right', 'Previous, next marker'],
    ['Enter', 'Go to marker; select region'],
    ['Drag, Shift+Left, Shift+Right', 'Move marker'],
    ['Drag the edge of a region', 'Move its start or end'],
    ['Double click', 'Rename'],
    ['Up, Down', 'Move through the list'],
    ['L', 'Loop the region in the list'],
  ] as [string, string][],
  inputRows: [
    ['Arrow keys, Page Up, Page Down', 'Move through the files'],
    ['Home, End', 'First file, last file'],
    ['Shift with these, Shift+click', 'Extend the selection'],
    ['Double click', 'Show finished file in folder'],
  ] as [string, string][],
  /** By what the pointer does on the map. */
  mapGestures: {
    pan: ['Drag', 'Move map'],
    zoom: ['Wheel', 'Zoom at the pointer'],
    lasso: ['Shift+drag', 'Lasso: select tracks inside the outline'],
    enclose: ['Ctrl+Shift+drag', 'Lasso: add tracks inside the outline'],
    pick: ['Click', 'Select track'],
    open: ['Double click', 'Open track in editor'],
  },
};
