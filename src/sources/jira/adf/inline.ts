import { codeSpanMark } from '#src/lib/text/backticks.ts';
import { type AdfNode, attribute } from './document.ts';

// What stands within a line.

const ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const LONGEST_ADDRESS = 4_000;
/** The outermost last. */
const SIGNS: [string, string][] = [
  ['strike', '~~'],
  ['em', '*'],
  ['strong', '**'],
];

/** A link, or only its words where the address is none that a browser opens. */
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

/** A text with its marks. Signs stand at its words, not at the space around them. */
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

/** Between more backticks than it has beside each other. */
function coded(text: string): string {
  const fence = codeSpanMark(text);
  return fence.length === 1 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

/** A node without content of its own, in words; undefined: it is none of these. */
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

/** Files of an issue are named by what they are attached as. */
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
