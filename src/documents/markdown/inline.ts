import type { Token } from 'markdown-it';
import { repeatsFileName } from '#src/lib/text/picture-links.ts';
import { grammar } from './grammar.ts';
import type { References } from './read.ts';

export interface InlineText {
  /** Text without marks, link targets and HTML tags. A picture is replaced by its description. */
  text: string;
  links: { text: string; url: string }[];
  /** Whether the content is a single picture. */
  isPicture: boolean;
}

/**
 * Maximum characters that are read at once, because of memory. Longer text is split at a line break or space.
 */
const PART = 32_768;
const MARKS = /[\\`*_[\]<&~!]/;
const BREAK = /^<br[ \t]*\/?>$/i;

/** Reads the content of a heading, a paragraph or a cell. */
export function readInline(content: string, references: References = {}): InlineText {
  const reading = readingInline(content, references);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}

/** Reads the content in parts that take some tens of milliseconds each. Callers may pause at each `yield`. */
export function* readingInline(
  content: string,
  references: References = {},
): Generator<undefined, InlineText, undefined> {
  const read: InlineText = { text: '', links: [], isPicture: false };
  for (let from = 0; from < content.length; ) {
    const end = partEnd(content, from);
    const part = content.slice(from, end);
    if (MARKS.test(part)) readPart(part, references, read);
    else read.text += trimmedLines(part);
    read.isPicture &&= end === content.length && from === 0;
    from = end;
    if (from < content.length) yield;
  }
  read.text = read.text.trim();
  return read;
}

const trimmedLines = (part: string) =>
  part
    .split('\n')
    .map((line, at) => (at > 0 ? line.trimStart() : line))
    .join('\n');

function partEnd(content: string, from: number): number {
  if (content.length - from <= PART) return content.length;
  for (const gap of ['\n', ' ']) {
    const at = content.lastIndexOf(gap, from + PART);
    if (at > from + PART / 2) return at + 1;
  }
  return from + PART;
}

function readPart(part: string, references: References, read: InlineText): void {
  const tokens: Token[] = [];
  grammar.inline.parse(part, grammar, { references }, tokens);
  let link: { text: string; url: string } | undefined;
  const add = (text: string) => {
    read.text += text;
    if (link) link.text += text;
  };
  for (const token of tokens) {
    switch (token.type) {
      case 'link_open':
        link = { text: '', url: String(token.attrGet('href') ?? '') };
        read.links.push(link);
        break;
      case 'link_close':
        link = undefined;
        break;
      case 'softbreak':
      case 'hardbreak':
        add('\n');
        break;
      case 'html_inline':
        if (BREAK.test(token.content)) add('\n');
        break;
      case 'image':
        // Parsers describe a picture by its file name if it has no description. File names are not searched.
        if (!repeatsFileName(token.content, String(token.attrGet('src') ?? ''))) {
          add(readInline(token.content, references).text);
        }
        break;
      default:
        add(token.content);
    }
  }
  read.isPicture = tokens.length === 1 && tokens[0]!.type === 'image';
}
