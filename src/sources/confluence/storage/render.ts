import { child, elements, getTextContent, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import {
  escapeHtml,
  findReference,
  isReference,
  type RenderContext,
  readPlainBody,
  renderLink,
  resolveTarget,
} from './references.ts';

interface Macro {
  name: string;
  /** Returns the text of a macro's parameter, or an empty string if the parameter is missing. */
  parameter(name: string): string;
  /** Rich-text body of the macro as HTML. `undefined` if the macro has no such body. */
  rich: string | undefined;
  /** Plain-text body of the macro. `undefined` if the macro has no such body. */
  plain: string | undefined;
  /** Links to the references in the macro's parameters, as HTML. */
  references: string[];
}

const renderTitle = ({ parameter }: Macro, otherwise = '') => {
  const title = parameter('title') || otherwise;
  return title ? `<p><strong>${escapeHtml(title)}</strong></p>` : '';
};

const code = (macro: Macro) => {
  const language = /^[\w+#-]{1,30}$/.exec(macro.parameter('language'))?.[0].toLowerCase();
  const named = language ? ` class="language-${language}"` : '';
  return `${renderTitle(macro)}<pre><code${named}>${escapeHtml(macro.plain ?? '')}</code></pre>`;
};

const box = (name: string) => (macro: Macro) =>
  `<blockquote>${renderTitle(macro, name)}${renderBody(macro)}</blockquote>`;

/**
 * Renderers of Confluence macros that need special treatment. Any other macro is rendered as its body. A
 * macro without a body is rendered as links to the targets that its parameters name.
 */
const MACRO_RENDERERS: Record<string, (macro: Macro, context: RenderContext) => string> = {
  code,
  noformat: code,
  info: box('Info'),
  note: box('Note'),
  tip: box('Tip'),
  warning: box('Warning'),
  success: box('Success'),
  error: box('Error'),
  panel: box(''),
  expand: (macro) => `${renderTitle(macro)}${renderBody(macro)}`,
  status: ({ parameter }) => `<strong>${escapeHtml(parameter('title'))}</strong>`,
  jira({ parameter }, { base }) {
    const key = parameter('key');
    const site = base.replace(/\/wiki$/, '');
    if (key) return renderLink({ label: key, href: `${site}/browse/${encodeURIComponent(key)}` });
    const query = parameter('jqlQuery');
    const href = `${site}/issues/?jql=${encodeURIComponent(query)}`;
    return query ? renderLink({ label: `Jira: ${query}`, href }) : '';
  },
};

/**
 * Renders a page as HTML without Confluence-specific elements. The recursion is safe because the parser
 * limits the depth of the tree.
 */
export function renderPage(root: XmlElement, title: string, context: RenderContext): string {
  return `<h1>${escapeHtml(title)}</h1>\n${renderChildren(root, context)}\n`;
}

const DROPPED = new Set([
  ...['script', 'style', 'ac:parameter', 'ac:placeholder', 'ac:task-id', 'ac:task-uuid', 'ac:task-status'],
  ...['ac:adf-attribute', 'ac:adf-mark'],
]);
const VOID = new Set(['br', 'hr', 'img', 'col', 'wbr']);
const ALLOWED_ATTRIBUTES: Record<string, string[]> = {
  a: ['href'],
  img: ['alt'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan'],
  ol: ['start'],
};

/**
 * Strings are concatenated directly, because joining arrays would copy the text once for each level of
 * nesting.
 */
function renderChildren(element: XmlElement, context: RenderContext): string {
  let html = '';
  for (const node of element.children) html += renderNode(node, context);
  return html;
}

function renderNode(node: XmlNode, context: RenderContext): string {
  if (typeof node === 'string') return escapeHtml(node);
  const { name } = node;
  if (DROPPED.has(name)) return '';
  const own = Object.hasOwn(ELEMENT_RENDERERS, name) ? ELEMENT_RENDERERS[name] : undefined;
  if (own) return own(node, context);
  if (isReference(node)) return renderLink(resolveTarget(node, context));
  const inner = renderChildren(node, context);
  // Only the content of elements that are not HTML is rendered.
  if (!/^[a-z][a-z0-9]*$/.test(name)) return inner;
  const attributes = renderAttributes(node, context);
  return VOID.has(name) ? `<${name}${attributes}>` : `<${name}${attributes}>${inner}</${name}>`;
}

function renderAttributes({ name, attributes }: XmlElement, { base }: RenderContext): string {
  const allowed = Object.hasOwn(ALLOWED_ATTRIBUTES, name) ? ALLOWED_ATTRIBUTES[name]! : [];
  return allowed
    .flatMap((each) => {
      const value = attributes[each];
      if (value === undefined) return [];
      const isAddress = each === 'href' && !value.startsWith('#');
      const shown = isAddress ? (URL.parse(value, `${base}/`)?.href ?? value) : value;
      return [` ${each}="${escapeHtml(shown)}"`];
    })
    .join('');
}

type Render = (element: XmlElement, context: RenderContext) => string;

const macro: Render = (element, context) =>
  renderMacro(
    readMacro(element, context, (body) => renderChildren(body, context)),
    context,
  );
const block: Render = (element, context) => `<div>${renderChildren(element, context)}</div>`;

/** Renderers of Confluence elements whose rendering is more than their content. */
const ELEMENT_RENDERERS: Record<string, Render> = {
  'ac:structured-macro': macro,
  'ac:macro': macro,
  'ac:layout': block,
  'ac:layout-section': block,
  'ac:layout-cell': block,
  'ac:link'(element, context) {
    const reference = findReference(element);
    const rich = child(element, 'ac:link-body');
    const plain = readPlainBody(element);
    const words = rich ? renderChildren(rich, context) : escapeHtml(plain ?? '');
    const anchor = element.attributes['ac:anchor'] ?? '';
    return renderLink(reference ? resolveTarget(reference, context) : { label: anchor }, words);
  },
  'ac:image'(element, context) {
    const reference = findReference(element);
    const name = element.attributes['ac:alt'] || (reference && resolveTarget(reference, context).label) || '';
    const caption = child(element, 'ac:caption');
    return `<img alt="${escapeHtml(name)}">${caption ? block(caption, context) : ''}`;
  },
  'ac:emoticon': ({ attributes }) =>
    escapeHtml(attributes['ac:emoji-fallback'] ?? attributes['ac:emoji-shortname'] ?? ''),
  'ac:task-list': (element, context) => `<ul>${renderChildren(element, context)}</ul>`,
  'ac:task'(element, context) {
    const isDone = getTextContent(child(element, 'ac:task-status')).trim() === 'complete';
    return `<li>${isDone ? '[x]' : '[ ]'} ${renderChildren(element, context)}</li>`;
  },
  /** Elements of newer editors contain a fallback for older editors. The fallback is rendered here. */
  'ac:adf-extension'(element, context) {
    const fallback = elements(element, 'ac:adf-fallback')[0];
    return fallback ? block(fallback, context) : block(element, context);
  },
  time: (element, context) =>
    renderChildren(element, context) || escapeHtml(element.attributes.datetime ?? ''),
};

function readMacro(
  element: XmlElement,
  context: RenderContext,
  render: (element: XmlElement) => string,
): Macro {
  const parameters = elements(element, 'ac:parameter');
  const rich = elements(element, 'ac:rich-text-body')[0];
  return {
    name: element.attributes['ac:name'] ?? '',
    parameter(name) {
      const found = parameters.find(({ attributes }) => attributes['ac:name'] === name);
      return getTextContent(found).trim();
    },
    rich: rich && render(rich),
    plain: readPlainBody(element),
    references: parameters
      .flatMap((each) => [each, ...elements(each, 'ac:link')])
      .flatMap((each) => findReference(each) ?? [])
      .map((each) => renderLink(resolveTarget(each, context))),
  };
}

function renderBody({ rich, plain, references }: Macro): string {
  if (rich !== undefined) return rich;
  return plain === undefined ? references.join(' ') : `<pre>${escapeHtml(plain)}</pre>`;
}

function renderMacro(macro: Macro, context: RenderContext): string {
  const known = Object.hasOwn(MACRO_RENDERERS, macro.name) ? MACRO_RENDERERS[macro.name] : undefined;
  return known ? known(macro, context) : renderBody(macro);
}
