// The library as its page shows it: folders and scan, the table's question, order and selection, what lies open beside.

import type { Failure, LibraryCounts, LibrarySettings, LibraryTrackState, LibraryView, ScanView, SortBy, TrackItem, TrackListQuery } from '../../../bindings';
import { Newest } from '../../../lib/newest';
import { pathOf, shownColumns, trackColumns, type TrackColumn } from '../lib/track-columns';
import { text } from '../../../text/catalogue';
import { libraryInLanguage } from '../../../text/core-words';
import type { App } from '../../../state/app.svelte';
import { failureMessage } from '../../../state/notices.svelte';
import { Questions } from './questions.svelte';
import { TrackRows } from './track-rows.svelte';
import { TrackSelection } from './track-selection.svelte';
import type { TrackTable } from './track-table.svelte';

export type LibraryTab = 'tracks' | 'duplicates' | 'map' | 'identify';
export type LibraryPanel = 'track' | 'similar' | 'playlist';

export const LIBRARY_PANELS: LibraryPanel[] = ['track', 'similar', 'playlist'];

/** So many tracks are opened at once. */
const MAX_OPENED = 20;

export const LIBRARY_TABS: LibraryTab[] = ['tracks', 'duplicates', 'map', 'identify'];

export class Library {
  view: LibraryView | null = $state.raw(null);
  /** Why the library could not be opened. */
  failure: string | null = $state(null);
  /** Whether it could not be opened because its server wants a password, or another one. */
  wantsPassword = $state(false);
  scan: ScanView | null = $state.raw(null);
  counts: LibraryCounts | null = $state.raw(null);
  tab: LibraryTab = $state('tracks');
  panel: LibraryPanel = $state('track');
  panelOpen = $state(true);
  foldersOpen = $state(true);
  leftWidth = $state(224);
  rightWidth = $state(360);
  /** Widths of columns that were changed, by name. */
  widths: Record<string, number> = $state.raw({});
  /** The question as it is answered by the rows. */
  text = $state('');
  /** The track that keys and panels are about. */
  current: number | null = $state(null);
  /** Grows when the table is to show the current track. */
  reveal = $state(0);
  /** The value of `stale` when the rows were last fetched anew. */
  shownState = 0;
  /** Grows when the list may have changed behind the table. */
  stale = $state(0);
  /** Grows with every change of the library that the core told of by itself: answers may be others now. */
  changes = $state(0);

  /** The table while it is shown: what its keys are about. */
  table: TrackTable | null = $state.raw(null);
  private readonly views = new Newest();
  private readonly scans = new Newest();
  readonly rows: TrackRows;
  readonly selection = new TrackSelection();
  readonly questions: Questions;
  readonly settings: LibrarySettings = $derived.by(() => this.app.settings.now.library);
  /** All columns there are, by name. */
  readonly columns: Map<string, TrackColumn> = $derived(trackColumns(this.view?.columns ?? [], this.view?.dimensions ?? [], (state) => text.library.states[state], (name) => text.library.columns[name] ?? name));
  /** Those that are shown, in their order. */
  readonly shown: TrackColumn[] = $derived(shownColumns(this.columns, this.settings.columns));
  readonly query: TrackListQuery = $derived({ text: this.text, sort: this.settings.sort });
  /** Why nothing in the library may be changed; null if it may. */
  readonly fixed: string | null = $derived.by(() => {
    const reason = this.view?.read_only ?? null;
    return reason === null ? null : text.reasons.readOnlyLibrary[reason];
  });
  /** The folders of the library that are not on this computer. */
  private readonly awayPaths: string[] = $derived(this.view?.folders.filter((folder) => this.view?.away.includes(folder.id)).map((folder) => folder.path) ?? []);
  /** Whether a scan is under way, be it held up. */
  readonly scanning: boolean = $derived(['walking', 'analysing', 'pausing', 'paused', 'held', 'stopping'].includes(this.scan?.phase ?? 'done'));
  private loading: Promise<void> | null = null;

  constructor(private readonly app: App) {
    this.rows = new TrackRows((offset, limit) => this.page(this.query, offset, limit), (reason) => app.notices.fail(reason));
    this.questions = new Questions(app);
  }

  private page(query: TrackListQuery, offset: number, limit: number) {
    return this.app.backend.call('library.tracks', { query, offset, limit });
  }

  /** Chooses whether auditions are matched in loudness. Stored at once: what sounds changes with it. */
  matchAuditions(matched: boolean): Promise<void> {
    return this.app.settings.save({ library: { ...this.settings, matched } });
  }

  /** Reads the library when its page is shown for the first time, or when that failed before. */
  load(): Promise<void> {
    this.loading ??= this.read();
    return this.loading;
  }

  /** Reads the library, or asks an open one again which of its folders are on this computer. */
  async recheck(): Promise<void> {
    if (this.view === null) return this.load();
    const view = await this.app.notices.attempt(() => this.app.backend.call('library.view', {}));
    if (view !== null) this.take(view);
  }

  /** Reads another library, which the settings name now, if one was read before. */
  async reopen(): Promise<void> {
    const wasRead = this.loading !== null || this.failure !== null;
    this.loading = null;
    this.view = null;
    this.failure = null;
    this.wantsPassword = false;
    this.rows.clear();
    this.selection.clear();
    this.current = null;
    this.questions.doubt();
    if (wasRead) await this.load();
  }

  private async read(open: () => Promise<LibraryView> = () => this.app.backend.call('library.view', {})): Promise<void> {
    try {
      // A password's field stays until it is known whether the password is right.
      if (!this.wantsPassword) this.failure = null;
      this.take(await open());
      this.failure = null;
      this.wantsPassword = false;
      await this.ask(this.text, this.settings.sort);
    } catch (reason) {
      this.failure = failureMessage(reason);
      this.wantsPassword = (reason as Partial<Failure> | null)?.code === 'password';
      this.loading = null;
    }
  }

  /** Opens the library of a server with the user's password. */
  givePassword(password: string, remember: boolean): Promise<void> {
    this.loading = this.read(() => this.app.backend.call('library.give_password', { password, remember }));
    return this.loading;
  }

  async forgetPassword(): Promise<void> {
    const was = await this.app.notices.attempt(() => this.app.backend.call('library.forget_password', {}));
    if (was !== null) this.app.notices.tell('info', was ? text.library.password.forgotten : text.library.password.none);
  }

  /** Lets the user choose where a folder of the library of a server is on this computer. */
  async choosePlace(folder: string): Promise<void> {
    const path = await this.app.notices.attempt(() => this.app.backend.call('library.choose_place', { folder }));
    if (path !== null) await this.setPlace(folder, path);
  }

  /** Sets where a folder is on this computer; without a path, where it is on the others. */
  async setPlace(folder: string, path: string | null): Promise<void> {
    const { server, places } = this.settings;
    if (server === null) return;
    const others = places.filter((place) => place.server !== server || place.folder !== folder);
    await this.app.settings.save({ library: { ...this.settings, places: path === null ? others : [...others, { server, folder, path }] } });
    await this.reopen();
  }

  /** Whether the folder of a track is not on this computer. */
  isAway({ folder, name }: Pick<TrackItem, 'folder' | 'name'>): boolean {
    const path = pathOf({ folder, name });
    return this.awayPaths.some((away) => path.startsWith(away) && (path.length === away.length || '/\\'.includes(path[away.length] ?? '')));
  }

  take(view: LibraryView): void {
    if (!this.views.isNews(view.moment)) return;
    this.view = libraryInLanguage(view);
    if (this.scans.isNews(view.scan?.moment ?? view.moment)) this.scan = view.scan;
    this.counts = view.counts;
    this.stale++;
  }

  takeChange(view: LibraryView): void {
    this.take(view);
    this.changes++;
    this.questions.doubt();
  }

  takeScan(scan: ScanView, counts: LibraryCounts): void {
    if (!this.scans.isNews(scan.moment)) return;
    const { counts: before } = this;
    this.scan = scan;
    this.counts = counts;
    if (!before || before.waiting !== counts.waiting || before.done !== counts.done || before.failed !== counts.failed || before.vanished !== counts.vanished) this.stale++;
  }

  /** Puts a question to the table; fails where the text is none, and leaves the rows as they are. */
  async ask(words: string, sort: SortBy[]): Promise<void> {
    const query = { text: words, sort };
    const { stale } = this;
    await this.rows.restart((offset, limit) => this.page(query, offset, limit));
    this.shownState = stale;
    if (words !== this.text) this.selection.clear();
    this.text = words;
  }

  async sortBy(sort: SortBy[]): Promise<void> {
    this.change({ sort });
    await this.app.notices.attempt(() => this.ask(this.text, sort));
    if (this.current !== null) this.reveal++;
  }

  change(settings: Partial<LibrarySettings>): void {
    this.app.settings.setLibrary(settings);
  }

  /** Where the current track stands, as far as that is known. */
  get currentState(): LibraryTrackState | null {
    const place = this.current === null ? null : this.rows.placeOf(this.current);
    return place === null ? null : (this.rows.at(place)?.state ?? null);
  }

  /** The sizes and states of the panes, by the names that they are stored under. */
  panes(): Record<string, number> {
    const widths = Object.fromEntries(Object.entries(this.widths).map(([name, width]) => [`column_${name}`, width]));
    return { ...widths, library_left: this.leftWidth, library_right: this.rightWidth, library_folders_open: this.foldersOpen ? 1 : 0, library_panel_open: this.panelOpen ? 1 : 0 };
  }

  takePanes(panes: Record<string, number | undefined>): void {
    this.leftWidth = panes['library_left'] ?? this.leftWidth;
    this.rightWidth = panes['library_right'] ?? this.rightWidth;
    this.foldersOpen = panes['library_folders_open'] !== 0;
    this.panelOpen = panes['library_panel_open'] !== 0;
    const widths = Object.entries(panes).filter(([name]) => name.startsWith('column_'));
    this.widths = Object.fromEntries(widths.flatMap(([name, width]) => (width === undefined ? [] : [[name.slice(7), width]])));
  }

  widthOf(column: TrackColumn): number {
    return this.widths[column.name] ?? column.width;
  }

  setColumns(names: string[]): void {
    this.change({ columns: names });
  }

  setColumnWidth(name: string, width: number): void {
    this.widths = { ...this.widths, [name]: width };
    this.app.settings.panesChanged();
  }

  /** Whether sound of the library goes out now. */
  get auditioning(): boolean {
    return this.app.player.audible !== null;
  }

  /** The track that is heard now. */
  get heard(): number | null {
    const { audible: audition } = this.app.player;
    if (!audition) return null;
    return audition.b !== null && this.app.player.side === 'processed' ? audition.b : audition.a;
  }

  /** Lets a track be heard, with the bar to move in it. */
  async play(track: number, fromS = 0): Promise<void> {
    const rows = await this.app.notices.attempt(() => this.app.backend.call('library.rows', { tracks: [track] }));
    const row = rows?.[0];
    if (row) await this.questions.audition.playTrack(row, fromS);
  }

  /** Space: stops what is heard, or lets the current track be heard. */
  async toggle(): Promise<void> {
    const { audition } = this.questions;
    if (audition.playing) await audition.stop();
    else if (this.app.player.playing) await this.app.player.stop();
    else if (audition.holds(this.current)) await audition.play();
    else if (this.current !== null) await this.play(this.current);
  }

  /** Shows a track's page, and the track in the table where it answers. */
  async showTrack(id: number): Promise<void> {
    this.current = id;
    this.panel = 'track';
    this.panelOpen = true;
    this.reveal++;
  }

  /** Goes to a track in the table, from wherever it was found. */
  async showInTable(id: number): Promise<void> {
    this.tab = 'tracks';
    await this.showTrack(id);
  }

  showSimilar(id: number): void {
    this.current = id;
    this.questions.like = { kind: 'track', track: id };
    this.panel = 'similar';
    this.panelOpen = true;
  }

  /** Opens the panel of playlists on all that the table shows, or on what is selected if that is several tracks. */
  async showPlaylist(): Promise<void> {
    const { playlist } = this.questions;
    playlist.kind = 'all';
    playlist.some = this.selection.count(this.rows.total ?? 0) > 1 && !this.selection.all ? await this.chosen() : null;
    this.openPanel('playlist');
  }

  /** Opens the panel of playlists on what is like a track. */
  async showPlaylistLike(track: number): Promise<void> {
    const { playlist } = this.questions;
    await playlist.take('like', track);
    playlist.kind = 'like';
    this.openPanel('playlist');
  }

  /** Opens the panel of playlists on a path from a track, to the other one if two are selected. */
  async showPath(track: number): Promise<void> {
    const { playlist } = this.questions;
    const [first = track, second] = this.selection.count(this.rows.total ?? 0) === 2 ? await this.chosen() : [track];
    playlist.last = null;
    await playlist.take('first', first);
    if (second !== undefined) await playlist.take('last', second);
    playlist.kind = 'between';
    this.openPanel('playlist');
  }

  private openPanel(panel: LibraryPanel): void {
    this.panel = panel;
    this.panelOpen = true;
  }

  /** Opens the dialog that writes tags: on the selected tracks, or on all that the table shows. */
  async showTags(): Promise<void> {
    const total = this.rows.total ?? 0;
    const count = this.selection.count(total);
    this.questions.tags.open('write', count > 0 && count < total ? await this.chosen() : []);
  }

  /** Opens tracks in the editor. */
  async open(tracks: number[]): Promise<void> {
    await this.app.notices.attempt(async () => this.app.documents.take(await this.app.backend.call('library.open', { tracks })));
  }

  showFile(track: number): Promise<unknown> {
    return this.app.notices.attempt(() => this.app.backend.call('library.show_file', { track }));
  }

  /** Opens what is chosen in the editor, unless that is very much. */
  async openChosen(): Promise<void> {
    const count = this.selection.count(this.rows.total ?? 0);
    if (count > MAX_OPENED) this.app.notices.tell('warning', text.library.table.many(count, MAX_OPENED));
    else await this.open(await this.chosen());
  }

  async copyPaths(): Promise<void> {
    await this.app.notices.attempt(async () => {
      const paths = await this.chosenPaths();
      try {
        await navigator.clipboard.writeText(paths.join('\n'));
      } catch {
        throw new Error(text.library.table.notCopied);
      }
      this.app.notices.tell('info', text.library.table.copied(paths.length));
    });
  }

  private async chosenPaths(): Promise<string[]> {
    const ids = new Set(await this.chosen());
    const rows = (await this.between(0, this.rows.total ?? 0)).filter((row) => ids.has(row.id));
    return rows.map(pathOf);
  }

  async askToBin(tracks: number[]): Promise<void> {
    if (tracks.length > 0) await this.questions.bin.askFor(tracks);
  }

  /** The selected tracks, or the current one: what a command is about. */
  async chosen(): Promise<number[]> {
    const total = this.rows.total ?? 0;
    if (this.selection.count(total) === 0) return this.current === null ? [] : [this.current];
    const { numbers } = this.selection;
    if (numbers) return numbers;
    return (await this.between(0, total)).filter((row) => this.selection.has(row.id)).map((row) => row.id);
  }

  /** The place of a track in the table; none where it does not answer. */
  placeOf(track: number): Promise<number | null> {
    return this.app.backend.call('library.position', { query: this.query, track });
  }

  /** Rows from one place up to another, wherever they are. */
  async between(from: number, to: number): Promise<TrackItem[]> {
    const { query } = this;
    const rows: TrackItem[] = [];
    while (rows.length < to - from) {
      const page = await this.page(query, from + rows.length, Math.min(1000, to - from - rows.length));
      rows.push(...page.rows);
      if (page.rows.length === 0) break;
    }
    return rows;
  }

  /** Changes the library's view by a command. */
  act(call: () => Promise<LibraryView>): Promise<unknown> {
    return this.app.notices.attempt(async () => this.take(await call()));
  }

  addFolders(): Promise<unknown> {
    return this.act(() => this.app.backend.call('library.add_folders', {}));
  }

  removeFolder(folder: number): Promise<unknown> {
    return this.act(() => this.app.backend.call('library.remove_folder', { folder }));
  }

  /** Begins to scan all folders, or some. */
  startScan(folders: number[] = []): Promise<unknown> {
    return this.act(() => this.app.backend.call('library.scan', { folders }));
  }

  steer(command: 'library.pause_scan' | 'library.resume_scan' | 'library.cancel_scan'): Promise<unknown> {
    return this.app.notices.attempt(() => this.app.backend.call(command, {}));
  }

  watch(on: boolean): Promise<unknown> {
    return this.app.notices.attempt(() => this.app.settings.whileWritten(async () => this.take(await this.app.backend.call('library.watch', { on }))));
  }

  retry(tracks: number[] | null): Promise<unknown> {
    return this.act(() => this.app.backend.call('library.retry', { tracks }));
  }

  async exportTracks(): Promise<void> {
    const written = await this.app.notices.attempt(() => this.app.backend.call('library.export', { query: this.query }));
    if (written) this.app.notices.tell('info', text.library.exported(written));
  }
}
