// Which dialogs and popovers are open, and what they are about.

export type DialogName = 'add-effect' | 'export' | 'settings' | 'presets' | 'shortcuts' | 'palette' | 'effects' | 'picture' | 'describe' | 'about' | 'go-to' | 'insert-silence' | 'crossfade' | 'generate' | 'separate';

export type SettingsPage = 'general' | 'keyboard';

export class Dialogs {
  open: DialogName | null = $state(null);
  /** The node that the presets dialog would store; null is the whole chain. */
  presetNode: number | null = $state(null);
  /** The effect that the effects reference shows; null is the first. */
  shownEffect: string | null = $state(null);
  settingsPage: SettingsPage = $state('general');
  /** The job whose export dialog is open. */
  exportJob: number | null = $state(null);
  /** The clip at whose start the dialog of cross-fades sets one; null is the join nearest to the cursor. */
  crossfadeClip: number | null = $state(null);
  devicesOpen = $state(false);
  spectrogramOpen = $state(false);
  analyserSettingsOpen = $state(false);

  /** Opens the reference, at an effect if one is named. */
  showEffect(name: string | null): void {
    if (name !== null) this.shownEffect = name;
    this.open = 'effects';
  }

  showSettings(page: SettingsPage): void {
    this.settingsPage = page;
    this.open = 'settings';
  }
}
