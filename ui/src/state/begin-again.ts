// Loading the window's page anew, with what was seen brought back. Documents, jobs and playback are the core's and go on.

import type { PageName } from '../pages/pages';
import type { DialogName } from './dialogs.svelte';

/** The page and the dialog that were shown before the reload. */
interface Left {
  page: PageName;
  dialog: DialogName | null;
}

const KEY = 'left';

export function beginAgain(left: Left): void {
  sessionStorage.setItem(KEY, JSON.stringify(left));
  location.reload();
}

/** Takes what was shown before the page was loaded anew, once; null at a start of the program. */
export function takeLeft(): Left | null {
  const left = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return left === null ? null : (JSON.parse(left) as Left);
}
