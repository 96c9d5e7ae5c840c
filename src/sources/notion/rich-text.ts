import { codeSpanMark } from '#src/lib/text/backticks.ts';
import { richText, type Span } from './objects.ts';

/** Returns the plain text of a Notion rich text. Mentions of people, pages and dates become their names. */
export const toPlainText = (value: unknown): string =>
  richText
    .parse(value)
    .map(({ plain_text }) => plain_text ?? '')
    .join('');

export const toMarkdown = (spans: Span[]): string =>
  spans.map(renderSpan).join('').replaceAll(AT_LINE_START, '$1\\$2');

/** Matches characters at the beginning of a line that Markdown would read as a heading or a code fence. */
const AT_LINE_START = /^([ \t]*)(#{1,6}(?=\s)|`{3}|~{3})/gm;

function renderSpan({ type, plain_text, href, annotations, equation }: Span): string {
  const text = plain_text ?? '';
  if (type === 'equation') return `$${equation?.expression ?? text}$`;
  const inner = text.trim();
  // Markdown signs must touch the words, so surrounding spaces stay outside of the signs.
  if (inner === '') return text;
  const { bold, italic, strikethrough, code } = annotations ?? {};
  const marks = `${strikethrough ? '~~' : ''}${bold ? '**' : ''}${italic ? '*' : ''}`;
  const ending = [...marks].reverse().join('');
  const words = `${marks}${code ? renderCodeSpan(inner) : inner}${ending}`;
  const start = text.slice(0, text.indexOf(inner));
  return `${start}${renderLink(words, href)}${text.slice(start.length + inner.length)}`;
}

function renderCodeSpan(text: string): string {
  const fence = codeSpanMark(text);
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${gap}${text}${gap}${fence}`;
}

/**
 * Renders a link as Markdown. Relative URLs, which Notion uses between its pages, are resolved against
 * www.notion.so. Returns only the text if the URL scheme is unsupported or the text is the URL itself.
 */
export function renderLink(words: string, href: string | null | undefined): string {
  const address = href ? URL.parse(href, 'https://www.notion.so') : null;
  if (!address || !/^(?:https?|mailto|tel):$/.test(address.protocol)) return words;
  if (address.href === words || href === words) return words;
  return `[${words.replaceAll(/[[\]]/g, '\\$&')}](${address.href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
