import { elements, textOf, type XmlElement } from '#src/text-formats/xml.ts';
import { escaped, linked, plainBody, referenceIn, type Surroundings, targetOf } from './references.ts';

/** A macro of a page. */
export interface Macro {
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

export function macroOf(
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

function anyBody({ rich, plain, references }: Macro): string {
  if (rich !== undefined) return rich;
  return plain === undefined ? references.join(' ') : `<pre>${escaped(plain)}</pre>`;
}

export function renderMacro(macro: Macro, surroundings: Surroundings): string {
  const known = Object.hasOwn(KNOWN, macro.name) ? KNOWN[macro.name] : undefined;
  return known ? known(macro, surroundings) : anyBody(macro);
}
