// Words of other programs for what a command does, and what it does about them, by the command's name.

export const paletteAnswers: Record<string, { words: string; detail: string } | undefined> = {
  export: { words: 'save store write render bounce mixdown convert', detail: 'Writes the whole recording, or only the selected range, to a new file' },
  picture: { words: 'save screenshot image png', detail: 'Saves the spectrogram as a picture' },
  presets: { words: 'save store load settings', detail: 'Saves the chain under a name, or loads one' },
  help: { words: 'guide guides manual documentation learn how', detail: 'Opens the guides of the help' },
  'sound-split': { words: 'divide separate clip', detail: 'Divides the recording at the cursor' },
  open: { words: 'import load add record microphone', detail: 'Opens recordings; sound from a microphone is recorded with another program' },
  spectral_gain: { words: 'cut silence mute delete erase remove quiet', detail: 'Attenuates the selected time and frequencies' },
  spectral_isolate: { words: 'cut crop keep solo extract', detail: 'Silences everything but the selected time and frequencies' },
  spectral_heal: { words: 'repair fix click cough remove erase', detail: 'Replaces the selected time and frequencies' },
  'zoom-fit': { words: 'whole all show', detail: 'Shows the whole recording' },
  'add-effect': { words: 'plugin filter process apply insert', detail: 'Adds an effect to the rack' },
  'chain-text': { words: 'code script notation copy paste', detail: 'Edits the chain as text' },
  batch: { words: 'many files folder convert', detail: 'Processes many files with one chain' },
  undo: { words: 'revert back history', detail: 'Undoes the last change' },
  matched: { words: 'loudness compare level', detail: 'Plays both sides equally loud' },
  play: { words: 'start listen pause', detail: 'Plays or stops' },
  settings: { words: 'preferences options configuration theme', detail: 'Device, output and view' },
  shortcuts: { words: 'keys help hotkeys', detail: 'Lists all keys' },
  'effects-reference': { words: 'help manual documentation parameters', detail: 'Explains every effect and parameter' },
  describe: { words: 'statistics analyse analyze info', detail: 'Describes the recording in figures' },
};
