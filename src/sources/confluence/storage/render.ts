import { child, elements, textOf, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import {
  escaped,
  isReference,
  linked,
  plainBody,
  referenceIn,
  type Surroundings,
  targetOf,
} from './references.ts';

/** A macro of a page. */
interface Macro {
  name: string;
  /** Text of a parameter, or `''`. */
  parameter(name: string): string;
  /** Its rich body as HTML; undefined: it has none. */
  rich: string | undefined;
  /** Its body of plain text. */
  plain: string | undefined;
  /** What its parameters lead to, as HTML. */
  references: string[];
}

const titled = ({ parameter }: Macro, otherwise = '') => {
  const title = parameter('title') || otherwise;
  return title ? `<p><strong>${escaped(title)}</strong></p>` : '';
};

const code = (macro: Macro) => {
  const language = /^[\w+#-]{1,30}$/.exec(macro.parameter('language'))?.[0].toLowerCase();
  const named = language ? ` class="language-${language}"` : '';
  return `${titled(macro)}<pre><code${named}>${escaped(macro.plain ?? '')}</code></pre>`;
};

const box = (name: string) => (macro: Macro) =>
  `<blockquote>${titled(macro, name)}${anyBody(macro)}</blockquote>`;

/** Macros that mean more than their body. Any other shows its body, or else what its parameters lead to. */
const KNOWN: Record<string, (macro: Macro, surroundings: Surroundings) => string> = {
  code,
  noformat: code,
  info: box('Info'),
  note: box('Note'),
  tip: box('Tip'),
  warning: box('Warning'),
  success: box('Success'),
  error: box('Error'),
  panel: box(''),
  expand: (macro) => `${titled(macro)}${anyBody(macro)}`,
  status: ({ parameter }) => `<strong>${escaped(parameter('title'))}</strong>`,
  jira({ parameter }, { base }) {
    const key = parameter('key');
    const site = base.replace(/\/wiki$/, '');
    if (key) return linked({ label: key, href: `${site}/browse/${encodeURIComponent(key)}` });
    const query = parameter('jqlQuery');
    const href = `${site}/issues/?jql=${encodeURIComponent(query)}`;
    return query ? linked({ label: `Jira: ${query}`, href }) : '';
  },
};

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

function macroOf(
  element: XmlElement,
  surroundings: Surroundings,
  render: (element: XmlElement) => string,
): Macro {
  const parameters = elements(element, 'ac:parameter');
  const rich = elements(element, 'ac:rich-text-body')[0];
  return {
    name: element.attributes['ac:name'] ?? '',
    parameter(name) {
      const found = parameters.find(({ attributes }) => attributes['ac:name'] === name);
      return textOf(found).trim();
    },
    rich: rich && render(rich),
    plain: plainBody(element),
    references: parameters
      .flatMap((each) => [each, ...elements(each, 'ac:link')])
      .flatMap((each) => referenceIn(each) ?? [])
      .map((each) => linked(targetOf(each, surroundings))),
  };
}

function anyBody({ rich, plain, references }: Macro): string {
  if (rich !== undefined) return rich;
  return plain === undefined ? references.join(' ') : `<pre>${escaped(plain)}</pre>`;
}

function renderMacro(macro: Macro, surroundings: Surroundings): string {
  const known = Object.hasOwn(KNOWN, macro.name) ? KNOWN[macro.name] : undefined;
  return known ? known(macro, surroundings) : anyBody(macro);
}
