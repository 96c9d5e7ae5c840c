import { child, elements, textOf, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { macroOf, renderMacro } from './macros.ts';
import {
  escaped,
  isReference,
  linked,
  plainBody,
  referenceIn,
  type Surroundings,
  targetOf,
} from './references.ts';

/** The page as HTML without anything of the vendor's own. The tree's depth is bounded, and so is this recursion. */
export function renderPage(root: XmlElement, title: string, surroundings: Surroundings): string {
  return `<h1>${escaped(title)}</h1>\n${childrenOf(root, surroundings)}\n`;
}

const DROPPED = new Set([
  ...['script', 'style', 'ac:parameter', 'ac:placeholder', 'ac:task-id', 'ac:task-uuid', 'ac:task-status'],
  ...['ac:adf-attribute', 'ac:adf-mark'],
]);
const VOID = new Set(['br', 'hr', 'img', 'col', 'wbr']);
const KEPT: Record<string, string[]> = {
  a: ['href'],
  img: ['alt'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan'],
  ol: ['start'],
};

/** Texts are put behind each other rather than joined, which would copy them once for each level. */
function childrenOf(element: XmlElement, surroundings: Surroundings): string {
  let html = '';
  for (const node of element.children) html += rendered(node, surroundings);
  return html;
}

function rendered(node: XmlNode, surroundings: Surroundings): string {
  if (typeof node === 'string') return escaped(node);
  const { name } = node;
  if (DROPPED.has(name)) return '';
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  if (own) return own(node, surroundings);
  if (isReference(node)) return linked(targetOf(node, surroundings));
  const inner = childrenOf(node, surroundings);
  // A name of another language, or none of HTML's: what it holds is what counts.
  if (!/^[a-z][a-z0-9]*$/.test(name)) return inner;
  const attributes = attributesOf(node, surroundings);
  return VOID.has(name) ? `<${name}${attributes}>` : `<${name}${attributes}>${inner}</${name}>`;
}

function attributesOf({ name, attributes }: XmlElement, { base }: Surroundings): string {
  const kept = Object.hasOwn(KEPT, name) ? KEPT[name]! : [];
  return kept
    .flatMap((each) => {
      const value = attributes[each];
      if (value === undefined) return [];
      const isAddress = each === 'href' && !value.startsWith('#');
      const shown = isAddress ? (URL.parse(value, `${base}/`)?.href ?? value) : value;
      return [` ${each}="${escaped(shown)}"`];
    })
    .join('');
}

type Render = (element: XmlElement, surroundings: Surroundings) => string;

const macro: Render = (element, surroundings) =>
  renderMacro(
    macroOf(element, surroundings, (body) => childrenOf(body, surroundings)),
    surroundings,
  );
const block: Render = (element, surroundings) => `<div>${childrenOf(element, surroundings)}</div>`;

/** The vendor's elements that mean more than what they hold. */
const OWN: Record<string, Render> = {
  'ac:structured-macro': macro,
  'ac:macro': macro,
  'ac:layout': block,
  'ac:layout-section': block,
  'ac:layout-cell': block,
  'ac:link'(element, surroundings) {
    const reference = referenceIn(element);
    const rich = child(element, 'ac:link-body');
    const plain = plainBody(element);
    const words = rich ? childrenOf(rich, surroundings) : escaped(plain ?? '');
    const anchor = element.attributes['ac:anchor'] ?? '';
    return linked(reference ? targetOf(reference, surroundings) : { label: anchor }, words);
  },
  'ac:image'(element, surroundings) {
    const reference = referenceIn(element);
    const name = element.attributes['ac:alt'] || (reference && targetOf(reference, surroundings).label) || '';
    const caption = child(element, 'ac:caption');
    return `<img alt="${escaped(name)}">${caption ? block(caption, surroundings) : ''}`;
  },
  'ac:emoticon': ({ attributes }) =>
    escaped(attributes['ac:emoji-fallback'] ?? attributes['ac:emoji-shortname'] ?? ''),
  'ac:task-list': (element, surroundings) => `<ul>${childrenOf(element, surroundings)}</ul>`,
  'ac:task'(element, surroundings) {
    const isDone = textOf(child(element, 'ac:task-status')).trim() === 'complete';
    return `<li>${isDone ? '[x]' : '[ ]'} ${childrenOf(element, surroundings)}</li>`;
  },
  /** What newer editors write comes with what older ones show instead. */
  'ac:adf-extension'(element, surroundings) {
    const fallback = elements(element, 'ac:adf-fallback')[0];
    return fallback ? block(fallback, surroundings) : block(element, surroundings);
  },
  time: (element, surroundings) =>
    childrenOf(element, surroundings) || escaped(element.attributes.datetime ?? ''),
};
