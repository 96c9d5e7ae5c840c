import { elements, getTextContent, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';

export interface RenderContext {
  /** Base URL of links within the Confluence site. It ends in /wiki. */
  base: string;
  /** Space of the Confluence page. It applies to references that name no space. */
  spaceKey: string | null;
  names: ReadonlyMap<string, string>;
}

export interface Target {
  label: string;
  href?: string;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const RESOURCES = new Set(
  ['page', 'blog-post', 'attachment', 'user', 'space', 'url', 'shortcut', 'content-entity'].map(
    (name) => `ri:${name}`,
  ),
);

export const isReference = (node: XmlNode): node is XmlElement =>
  typeof node !== 'string' && RESOURCES.has(node.name);

/** Returns the first reference in an element such as a link, an image or a macro parameter. */
export const findReference = (element: XmlElement): XmlElement | undefined =>
  element.children.find(isReference);

/**
 * Returns the label of a reference to a Confluence object. If the page contains enough information to build a
 * URL, the label includes the URL.
 */
export function resolveTarget(
  { name, attributes }: XmlElement,
  { base, spaceKey, names }: RenderContext,
): Target {
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

/** Renders a Confluence link as HTML. Shows the label of the link's target if the link has no text. */
export function renderLink({ label, href }: Target, words = ''): string {
  const shown = words.trim() === '' ? escapeHtml(label) : words;
  return href ? `<a href="${escapeHtml(href)}">${shown}</a>` : shown;
}

export function listMentions(root: XmlElement): string[] {
  const ids = new Set<string>();
  const walk = (element: XmlElement) => {
    const id = element.name === 'ri:user' && element.attributes['ri:account-id'];
    if (id) ids.add(id);
    for (const inner of elements(element)) walk(inner);
  };
  walk(root);
  return [...ids];
}

export const readPlainBody = (element: XmlElement): string | undefined => {
  const body = elements(element).find(({ name }) => /^ac:plain-text-(?:link-)?body$/.test(name));
  return body && getTextContent(body);
};
