// Words of the page of neural models.

import { message } from '../../text/message';

export const models = {
  title: 'Models',
  openPage: 'Models…',
  openHelpPage: 'Shows the neural models in your folders, and their licences',
  back: 'Back',
  folders: 'Folders',
  add: 'Add folder…',
  again: 'Look again',
  looking: 'Looking for models…',
  remove: message('No longer look in {name}', (name: string) => ({ name })),
  empty: 'Choose the folder with your model files. Undertone contains no models and fetches none.',
  found: 'Models',
  none: 'No model was found in these folders.',
  heads: { model: 'Model', file: 'File', parameters: 'Parameters', size: 'Size', licence: 'Licence, as its authors state it' },
  million: message('{value} million', (value: string) => ({ value })),
  confirm: 'I have read it',
  confirmOf: message('I have read the licence of {model}', (model: string) => ({ model })),
  confirmHelp: 'A model can be used once you have confirmed that you have read its licence. It stays confirmed.',
  rejected: 'Files without a known model',
  known: 'Which models are known, and where they can be had',
  knownHelp: 'Undertone downloads no models. Fetch the files yourself, with a browser or the tools named here, and choose their folder.',
};
