import { elements, textOf, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';

/** What a page is rendered with. */
export interface Surroundings {
  /** What addresses within the site follow; it ends in /wiki. */
  base: string;
  /** The space of the page, for references that name none. */
  spaceKey: string | null;
  /** Names of people by the ids of their accounts. */
  names: ReadonlyMap<string, string>;
}

/** What a reference leads to. */
export interface Target {
  label: string;
  href?: string;
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const RESOURCES = new Set(
  ['page', 'blog-post', 'attachment', 'user', 'space', 'url', 'shortcut', 'content-entity'].map(
    (name) => `ri:${name}`,
  ),
);

export const isReference = (node: XmlNode): node is XmlElement =>
  typeof node !== 'string' && RESOURCES.has(node.name);

/** The reference in an element: a link's, an image's, a parameter's. */
export const referenceIn = (element: XmlElement): XmlElement | undefined =>
  element.children.find(isReference);

/** What a reference names, and where that is, as far as the page itself tells. */
export function targetOf({ name, attributes }: XmlElement, { base, spaceKey, names }: Surroundings): Target {
  const at = (attribute: string) => attributes[`ri:${attribute}`] ?? '';
  const space = at('space-key') || spaceKey;
  switch (name) {
    case 'ri:page':
    case 'ri:blog-post': {
      const title = at('content-title');
      if (!title && !space) return { label: '' };
      const path = [space, title].filter(Boolean).map((part) => encodeURIComponent(part!));
      const isFound = name === 'ri:page' && Boolean(space);
      return { label: title || space!, ...(isFound && { href: `${base}/display/${path.join('/')}` }) };
    }
    case 'ri:space':
      return { label: at('space-key'), href: `${base}/spaces/${encodeURIComponent(at('space-key'))}` };
    case 'ri:attachment':
      return { label: at('filename') };
    case 'ri:user': {
      const id = at('account-id') || at('userkey');
      return { label: `@${names.get(id) ?? (at('username') || id || 'unknown')}` };
    }
    case 'ri:url':
      return { label: at('value'), href: at('value') };
    case 'ri:shortcut':
      return { label: [at('key'), at('parameter')].filter(Boolean).join(':') };
    default: {
      const id = at('content-id');
      return { label: id, href: `${base}/pages/viewpage.action?pageId=${encodeURIComponent(id)}` };
    }
  }
}

/** A link of the page as HTML, by the words that the page gives it or else by the name of what it leads to. */
export function linked({ label, href }: Target, words = ''): string {
  const shown = words.trim() === '' ? escaped(label) : words;
  return href ? `<a href="${escaped(href)}">${shown}</a>` : shown;
}

/** The ids of people that a page mentions. */
export function mentionedIn(root: XmlElement): string[] {
  const ids = new Set<string>();
  const walk = (element: XmlElement) => {
    const id = element.name === 'ri:user' && element.attributes['ri:account-id'];
    if (id) ids.add(id);
    for (const inner of elements(element)) walk(inner);
  };
  walk(root);
  return [...ids];
}

export const plainBody = (element: XmlElement): string | undefined => {
  const body = elements(element).find(({ name }) => /^ac:plain-text-(?:link-)?body$/.test(name));
  return body && textOf(body);
};
