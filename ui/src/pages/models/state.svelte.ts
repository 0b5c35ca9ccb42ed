// Neural models in the folders that the user chose, and the licences that were confirmed.

import type { ModelKind, ModelKindView, ModelsView } from '../../bindings';
import type { PageName } from '../pages';
import type { App } from '../../state/app.svelte';
import { failureOf } from '../../state/notices.svelte';

export class Models {
  view: ModelsView | null = $state.raw(null);
  /** Why there is no view. */
  failure: string | null = $state(null);
  /** Whether folders are being read. */
  busy = $state(false);
  /** The page that was in front before the models and the help. */
  private before: PageName = 'editor';

  constructor(private readonly app: App) {}

  turned(from: PageName): void {
    if (from !== 'models' && from !== 'help') this.before = from;
  }

  leave(): void {
    this.app.showPage(this.before);
  }

  load = async (): Promise<void> => {
    this.busy = true;
    this.failure = await failureOf(async () => (this.view = await this.app.backend.call('models.view', {})));
    this.busy = false;
  };

  kind(kind: ModelKind): ModelKindView | undefined {
    return this.view?.kinds.find((view) => view.kind === kind);
  }

  private async change(call: () => Promise<ModelsView>): Promise<void> {
    this.busy = true;
    await this.app.notices.attempt(async () => {
      this.view = await call();
      this.failure = null;
    });
    this.busy = false;
  }

  addFolders = (): Promise<void> => this.change(() => this.app.backend.call('models.add_folders', {}));

  removeFolder(folder: number): Promise<void> {
    return this.change(() => this.app.backend.call('models.remove_folder', { folder }));
  }

  confirm(kind: ModelKind, confirmed: boolean): Promise<void> {
    return this.change(() => this.app.backend.call('models.confirm_licence', { kind, confirmed }));
  }
}
