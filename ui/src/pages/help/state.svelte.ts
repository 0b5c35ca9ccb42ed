// The place that the help page shows, and those it can go back to.

import type { GuideName } from '../../lib/help/guides';
import type { PageName } from '../pages';
import type { App } from '../../state/app.svelte';

export class Help {
  guide: GuideName = $state('tour');
  /** The heading to go to; null is the top. */
  section: string | null = $state(null);
  query = $state('');
  /** Counts the visits, so that going to the same place again goes there. */
  visit = $state(0);
  private readonly back: { guide: GuideName; section: string | null }[] = $state([]);
  readonly canGoBack: boolean = $derived(this.back.length > 0);
  /** The page that was left for the help. */
  private before: PageName = 'editor';

  constructor(private readonly app: App) {}

  /** Opens the help, at a guide and a heading of it if they are named, else where it was left. */
  show(guide: GuideName = this.guide, section: string | null = null): void {
    this.app.dialogs.open = null;
    this.go(guide, section);
    this.app.showPage('help');
  }

  turned(to: PageName, from: PageName): void {
    if (to === 'help') this.before = from;
  }

  leave(): void {
    this.app.showPage(this.before);
  }

  /** Goes to a place of a guide, and remembers the present one. */
  go(guide: GuideName, section: string | null = null): void {
    if (this.visit > 0) this.back.push({ guide: this.guide, section: this.section });
    this.to(guide, section);
  }

  goBack(): void {
    const last = this.back.pop();
    if (last) this.to(last.guide, last.section);
  }

  private to(guide: GuideName, section: string | null): void {
    this.guide = guide;
    this.section = section;
    this.query = '';
    this.visit += 1;
  }
}
