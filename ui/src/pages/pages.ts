// The pages, in the order of the page switch and of their commands.

import { batchPage } from './batch/page';
import { blindPage } from './blind/page';
import { codecsPage } from './codecs/page';
import { comparePage } from './compare/page';
import { editorPage } from './editor/page';
import { helpPage } from './help/page';
import { libraryPage } from './library/page';
import { modelsPage } from './models/page';
import type { Page } from './page';

const LIST = [editorPage, libraryPage, batchPage, comparePage, codecsPage, blindPage, modelsPage, helpPage] as const;

export type PageName = (typeof LIST)[number]['name'];

export const PAGES: readonly Page[] = LIST;

export const pageNamed = (name: PageName): Page => PAGES.find((page) => page.name === name) ?? editorPage;
