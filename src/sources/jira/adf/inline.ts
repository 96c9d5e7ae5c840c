import { codeSpanMark } from '#src/lib/text/backticks.ts';
import { type AdfNode, getAttribute } from './document.ts';

// Renders inline nodes of the Atlassian Document Format as Markdown.

const ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const LONGEST_ADDRESS = 4_000;
/** Markdown signs for each kind of formatting, such as bold. The list begins with the innermost sign. */
const SIGNS: [string, string][] = [
  ['strike', '~~'],
  ['em', '*'],
  ['strong', '**'],
];

/**
 * Renders a link as Markdown. Returns only the text of the link if its URL has an unsupported scheme or is
 * too long.
 */
export function renderLink(words: string, address: string): string {
  const text = words.trim();
  if (!ADDRESS.test(address) || address.length > LONGEST_ADDRESS) return words;
  const safe = address.replaceAll(
    /[\s()<>]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  if (text === '' || text === address) return `<${safe}>`;
  return words.replace(text, () => `[${text.replaceAll(/[[\]]/g, '\\$&')}](${safe})`);
}

/**
 * Renders a text node with its formatting. The Markdown signs enclose the words without the surrounding
 * spaces.
 */
export function renderText({ text, marks }: AdfNode): string {
  const core = text.trim();
  if (core === '' || marks.length === 0) return text;
  const kinds = new Set(marks.map(({ type }) => type));
  let shown = kinds.has('code') ? renderCode(core) : core;
  for (const [kind, sign] of SIGNS) if (kinds.has(kind)) shown = `${sign}${shown}${sign}`;
  const link = marks.find(({ type }) => type === 'link');
  if (link) shown = renderLink(shown, getAttribute(link, 'href'));
  const start = text.indexOf(core);
  return text.slice(0, start) + shown + text.slice(start + core.length);
}

/** Encloses code in backticks. Uses more backticks than the longest row of backticks in the code. */
function renderCode(text: string): string {
  const fence = codeSpanMark(text);
  return fence.length === 1 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

export function inlineText(node: AdfNode): string | undefined {
  switch (node.type) {
    case 'text':
      return renderText(node);
    case 'hardBreak':
      return '\n';
    case 'mention': {
      const name = getAttribute(node, 'text') || getAttribute(node, 'id');
      return name.startsWith('@') ? name : `@${name}`;
    }
    case 'emoji':
      return getAttribute(node, 'text') || getAttribute(node, 'shortName');
    case 'date':
      return formatDay(getAttribute(node, 'timestamp'));
    case 'inlineCard':
      return renderLink('', getAttribute(node, 'url'));
    case 'media':
    case 'mediaInline':
      return renderMedia(node);
    case 'status':
    case 'placeholder':
    case 'inlineExtension':
      return getAttribute(node, 'text');
    default:
      return undefined;
  }
}

function renderMedia(node: AdfNode): string {
  const name = getAttribute(node, 'alt');
  const url = getAttribute(node, 'url');
  if (url) return renderLink(name, url);
  return name && `[${name}]`;
}

function formatDay(timestamp: string): string {
  const time = new Date(Number(timestamp));
  return timestamp === '' || Number.isNaN(time.getTime()) ? timestamp : time.toISOString().slice(0, 10);
}
