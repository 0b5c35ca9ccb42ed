// The words of settings, notices and dialogs.

import { message } from './message';

export const settings = {
  title: 'Settings',
  general: 'General',
  theme: 'Theme',
  themes: { system: 'Same as system', dark: 'Dark', light: 'Light', contrast: 'High contrast' },
  language: 'Language',
  languages: { system: 'Same as system', en: 'English', de: 'Deutsch' },
  languageHelp: 'Help pages and the documentation of effects are in English.',
  device: 'Device',
  output: 'Sound output',
  systemOutput: 'System default',
  lostOutput: 'Not connected',
  mute: 'Protection',
  muteHelp: 'Mute when the level rises far above full scale, for example from an unstable filter.',
  projects: 'Projects',
  projectHistory: 'Save projects with their history, so that undo works on another computer too.',
  space: 'Space bar',
  spaceStops: 'Stops, and returns to the cursor',
  spacePauses: 'Pauses, and stays where it is',
  spaceHelp: message('{key} does the other.', (key: string) => ({ key })),
  wheel: 'Wheel over the lanes',
  wheelHelp: 'A pinch zooms always; Ctrl+Shift+wheel zooms frequencies.',
  cache: 'Waveform cache',
  cacheHelp: 'Keeps waveforms of opened recordings on disk, up to this size.',
  libraryServer: {
    label: 'Library server',
    address: 'Address',
    example: 'postgres://USER@HOST/DATABASE',
    help: 'A PostgreSQL server with a library that several machines share. Empty for the library on this computer.',
    changes: 'Changes',
    readOnly: 'Read-only: search and listen, but never change the shared library.',
    password: 'Password',
    passwordHelp: 'From PGPASSWORD, ~/.pgpass or the system’s keyring, in this order; otherwise the library’s page asks.',
    forget: 'Forget password',
    places: {
      label: 'Folders',
      help: 'Where the library’s folders are on this computer, if elsewhere than on others.',
      loading: 'Asking the library…',
      unknown: 'The library is not open. Its folders are listed once it is.',
      none: 'The library has no folders yet.',
      same: 'Same path here',
      away: 'Not on this computer',
      notFound: message('{path}, not found', (path: string) => ({ path })),
      gone: 'No longer in the library',
      choose: 'Choose…',
      chooseFor: message('Choose where {name} is', (name: string) => ({ name })),
      remove: message('Use the library’s own path of {name}', (name: string) => ({ name })),
    },
    problems: {
      form: 'Type an address such as postgres://USER@HOST/DATABASE',
      password: 'Leave the password out. The library’s page asks for it.',
    },
  },
  privacy: 'Undertone uses the network only for a library server that you name.',
};

export const about = {
  version: message('Version {version}', (version: string) => ({ version })),
  sentence: 'An audio workbench: view, filter, compare and export recordings.',
  licence: 'MIT or Apache-2.0',
};

export const dialog = { close: 'Close', cancel: 'Cancel' };

export const notices = {
  region: 'New notices',
  title: 'Notices',
  dismiss: 'Dismiss',
  clear: 'Clear',
  none: 'No notices yet.',
  over: 'over',
  bell: message('{unread, plural, =0 {Notices} one {Notices, # unread} other {Notices, # unread}}', (unread: number) => ({ unread })),
  levels: { info: 'Information', warning: 'Warning', error: 'Failure' },
};
