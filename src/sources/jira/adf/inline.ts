import { codeSpanMark } from '#src/lib/text/backticks.ts';
import { type AdfNode, attribute } from './document.ts';

// Renders inline nodes of the Atlassian Document Format.

const ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const LONGEST_ADDRESS = 4_000;
/** Markdown signs for each mark, from the innermost to the outermost. */
const SIGNS: [string, string][] = [
  ['strike', '~~'],
  ['em', '*'],
  ['strong', '**'],
];

/** Renders a link. Returns only the text if the URL has an unsupported scheme or is too long. */
export function linked(words: string, address: string): string {
  const text = words.trim();
  if (!ADDRESS.test(address) || address.length > LONGEST_ADDRESS) return words;
  const safe = address.replaceAll(
    /[\s()<>]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  if (text === '' || text === address) return `<${safe}>`;
  return words.replace(text, () => `[${text.replaceAll(/[[\]]/g, '\\$&')}](${safe})`);
}

/** Renders a text with its marks. The Markdown signs enclose the words without the surrounding spaces. */
export function marked({ text, marks }: AdfNode): string {
  const core = text.trim();
  if (core === '' || marks.length === 0) return text;
  const kinds = new Set(marks.map(({ type }) => type));
  let shown = kinds.has('code') ? coded(core) : core;
  for (const [kind, sign] of SIGNS) if (kinds.has(kind)) shown = `${sign}${shown}${sign}`;
  const link = marks.find(({ type }) => type === 'link');
  if (link) shown = linked(shown, attribute(link, 'href'));
  const start = text.indexOf(core);
  return text.slice(0, start) + shown + text.slice(start + core.length);
}

/** Wraps code in more backticks than it contains in a row. */
function coded(text: string): string {
  const fence = codeSpanMark(text);
  return fence.length === 1 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

/** Renders an inline node. Returns `undefined` for other node types. */
export function inlineText(node: AdfNode): string | undefined {
  switch (node.type) {
    case 'text':
      return marked(node);
    case 'hardBreak':
      return '\n';
    case 'mention': {
      const name = attribute(node, 'text') || attribute(node, 'id');
      return name.startsWith('@') ? name : `@${name}`;
    }
    case 'emoji':
      return attribute(node, 'text') || attribute(node, 'shortName');
    case 'date':
      return dayOf(attribute(node, 'timestamp'));
    case 'inlineCard':
      return linked('', attribute(node, 'url'));
    case 'media':
    case 'mediaInline':
      return pictured(node);
    case 'status':
    case 'placeholder':
    case 'inlineExtension':
      return attribute(node, 'text');
    default:
      return undefined;
  }
}

/** Renders a media node as its link, or as the name of the attached file. */
function pictured(node: AdfNode): string {
  const name = attribute(node, 'alt');
  const url = attribute(node, 'url');
  if (url) return linked(name, url);
  return name && `[${name}]`;
}

function dayOf(timestamp: string): string {
  const time = new Date(Number(timestamp));
  return timestamp === '' || Number.isNaN(time.getTime()) ? timestamp : time.toISOString().slice(0, 10);
}
