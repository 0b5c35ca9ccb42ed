// Every word of the interface, in one place. English stands in the files of this folder and of the pages; the other languages in `locales/`.

import { batch } from '../pages/batch/words';
import { blind } from '../pages/blind/words';
import { compare } from '../pages/compare/words';
import { codecs } from '../pages/codecs/words';
import { models } from '../pages/models/words';
import { commands, menus, mnemonics, regions } from './commands';
import { device } from './device';
import { empty, lanes, opening, overview, status, tabs } from '../pages/editor/words/page';
import { exporting } from './exporting';
import { generating } from './generating';
import { help } from '../pages/help/words';
import { inLanguage } from './language';
import { keyboard } from './keyboard';
import { library } from '../pages/library/words/page';
import { markers } from '../pages/editor/words/markers';
import { measurements } from '../pages/editor/words/measurements';
import { message } from './message';
import { analyser, describing, loudness } from '../pages/editor/words/monitor';
import { questions } from '../pages/library/words/questions';
import { effects, presets, rack, repairs } from '../pages/editor/words/rack';
import { reasons } from './reasons';
import { live, recording } from './recording';
import { selectionUse } from '../pages/editor/words/selection-use';
import { about, dialog, notices, settings } from './settings';
import { keys, palette, shortcuts } from './shortcuts';
import { soundEdits } from '../pages/editor/words/sound-edits';
import { tagWriting } from '../pages/library/words/tag-writing';
import { tracks } from '../pages/editor/words/tracks';
import { parts } from '../pages/editor/words/parts';
import { playlists } from '../pages/library/words/playlists';
import { stems } from './stems';
import { picture, spectrogram } from './spectrogram';
import { meters, transport } from './transport';
import { barMenus, fieldMenu, goTo, timeFormats, typing } from './typing';

/** The words as they are written: what translations begin with. */
export const english = {
  name: 'Undertone',
  /** The native window's title; a dot stands for changes since the project was saved. */
  title: message('{mark}{document} — Undertone', (document: string, changed: boolean) => ({ document, mark: changed ? '• ' : '' })),
  menus,
  mnemonics,
  commands,
  regions,
  tabs,
  pages: { label: 'Pages', editor: 'Editor', library: 'Library', batch: 'Batch', compare: 'Compare', blind: 'Blind test', codecs: 'Codecs', models: 'Models', help: 'Help' },
  batch,
  blind,
  compare,
  codecs,
  models,
  library,
  playlists,
  tagWriting,
  questions,
  reasons,
  soundEdits,
  tracks,
  stems,
  markers,
  help,
  transport,
  recording,
  live,
  meters,
  empty,
  opening,
  overview,
  lanes,
  status,
  typing,
  fieldMenu,
  barMenus,
  goTo,
  timeFormats,
  rack,
  effects,
  repairs,
  selectionUse,
  parts,
  palette,
  keys,
  shortcuts,
  spectrogram,
  analyser,
  loudness,
  picture,
  describing,
  measurements,
  presets,
  exporting,
  generating,
  device,
  settings,
  keyboard,
  about,
  dialog,
  details: 'Details',
  notices,
};

/** The words in the language in use. */
export const text = inLanguage(english);
