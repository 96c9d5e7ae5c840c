import type { Token } from 'markdown-it';
import { repeatsFileName } from '#src/lib/text/picture-links.ts';
import { grammar } from './grammar.ts';
import type { References } from './read.ts';

export interface InlineText {
  /**
   * Text without Markdown formatting, link targets and HTML tags. Pictures are replaced by their
   * descriptions.
   */
  text: string;
  links: { text: string; url: string }[];
  /** True if the content consists of a single picture. */
  isPicture: boolean;
}

/**
 * Maximum number of characters that are parsed at once, which limits memory use. Longer text is split at a
 * line break or space.
 */
const MAX_PART_LENGTH = 32_768;
const MARKS = /[\\`*_[\]<&~!]/;
const BREAK = /^<br[ \t]*\/?>$/i;

/** Returns the text and links of a heading, paragraph or table cell. */
export function readInline(content: string, references: References = {}): InlineText {
  const reading = readInlineInParts(content, references);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}

/**
 * Returns the text and links of a heading, paragraph or table cell. Long content is parsed in parts of some
 * tens of milliseconds each. Callers may pause at each `yield`.
 */
export function* readInlineInParts(
  content: string,
  references: References = {},
): Generator<undefined, InlineText, undefined> {
  const read: InlineText = { text: '', links: [], isPicture: false };
  for (let from = 0; from < content.length; ) {
    const end = findPartEnd(content, from);
    const part = content.slice(from, end);
    if (MARKS.test(part)) readPart(part, references, read);
    else read.text += trimLineStarts(part);
    read.isPicture &&= end === content.length && from === 0;
    from = end;
    if (from < content.length) yield;
  }
  read.text = read.text.trim();
  return read;
}

const trimLineStarts = (part: string) =>
  part
    .split('\n')
    .map((line, at) => (at > 0 ? line.trimStart() : line))
    .join('\n');

function findPartEnd(content: string, from: number): number {
  if (content.length - from <= MAX_PART_LENGTH) return content.length;
  for (const gap of ['\n', ' ']) {
    const at = content.lastIndexOf(gap, from + MAX_PART_LENGTH);
    if (at > from + MAX_PART_LENGTH / 2) return at + 1;
  }
  return from + MAX_PART_LENGTH;
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
        // Parsers use the file name to describe a picture that has no description. Such file names are left
        // out of the text.
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
