// The guides of the help: the Markdown files of docs/, in reading order.

export const GUIDES = ['tour', 'editing', 'recording', 'seeing', 'library', 'features', 'compare', 'codecs', 'models', 'stems', 'tags', 'markers', 'devices', 'effects', 'signals', 'measured'] as const;

export type GuideName = (typeof GUIDES)[number];

/** Guides to learn from, and guides to look things up in. */
export const GUIDE_GROUPS: Record<'guides' | 'figures', GuideName[]> = { guides: ['tour', 'editing', 'recording', 'seeing', 'library', 'features', 'compare', 'codecs', 'models', 'stems', 'tags', 'markers'], figures: ['devices', 'effects', 'signals', 'measured'] };

export const isGuide = (name: string): name is GuideName => (GUIDES as readonly string[]).includes(name);
