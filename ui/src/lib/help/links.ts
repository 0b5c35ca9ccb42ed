// Resolves the links of a guide.

import { isGuide, type GuideName } from './guides';

export type Link = { kind: 'place'; guide: GuideName; section: string | null } | { kind: 'web'; url: string } | { kind: 'nowhere' };

/** Resolves a link in the guide `from`. Documents that are not guides, such as those on the design, are not linked. */
export function linkOf(href: string, from: GuideName): Link {
  if (/^https?:\/\//.test(href)) return { kind: 'web', url: href };
  const [, name = '', section] = /^(?:([\w-]+)\.md)?(?:#(.+))?$/.exec(href) ?? [];
  if (name === '' && section === undefined) return { kind: 'nowhere' };
  const guide = name === '' ? from : name;
  return isGuide(guide) ? { kind: 'place', guide, section: section ?? null } : { kind: 'nowhere' };
}

/** The name by which links reach a heading, as code hosts make it. */
export const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
