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

interface Macro {
  name: string;
  /** Returns the text of a parameter, or an empty string if it is missing. */
  parameter(name: string): string;
  /** Rich-text body as HTML. `undefined` if the macro has none. */
  rich: string | undefined;
  /** Plain-text body. `undefined` if the macro has none. */
  plain: string | undefined;
  /** Links to the references in the macro's parameters, as HTML. */
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

/**
 * Macros with special rendering. Any other macro is rendered as its body, or as its parameters' links if it
 * has no body.
 */
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

/**
 * Renders a page as HTML without Confluence-specific elements. The recursion is safe because the parser
 * limits the tree's depth.
 */
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

/** Concatenates the strings directly. Joining arrays would copy the text once per level. */
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
  // Render only the content of elements that are not HTML.
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

/** Rendering for Confluence elements that need more than their content. */
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
  /** Elements of newer editors include a fallback for older ones, which is rendered here. */
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
