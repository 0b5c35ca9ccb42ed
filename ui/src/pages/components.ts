// The pages' components, by name. They are apart from `pages.ts`, since components use the commands that it lists.

import type { Component } from 'svelte';
import type { PageName } from './pages';

type Found = Record<string, Component>;

const pages: Found = import.meta.glob<Component>('./*/Page.svelte', { eager: true, import: 'default' });
const statuses: Found = import.meta.glob<Component>('./*/Status.svelte', { eager: true, import: 'default' });

/** The pages' dialogs, which stay when another page comes to the front. */
export const PAGE_DIALOGS = Object.values(import.meta.glob<Component<{ onclose: () => void }>>('./*/Dialogs.svelte', { eager: true, import: 'default' }));

export const pageComponent = (page: PageName): Component | undefined => pages[`./${page}/Page.svelte`];

/** A page's part of the status bar, if it has one. */
export const statusComponent = (page: PageName): Component | undefined => statuses[`./${page}/Status.svelte`];
