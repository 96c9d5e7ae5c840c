import type { Block, BlockType } from '#src/documents/document.ts';
import { renderTable, type TableOptions } from '#src/documents/markdown/render-table.ts';
import { oneLine } from '#src/formats/shared/flow/runs.ts';
import { smallest } from '#src/lib/extremes.ts';
import { findInOrder } from '#src/lib/text/find-in-order.ts';
import type { Rect } from '../geometry.ts';
import { median, overlapX, union } from '../geometry.ts';
import type { Table } from '../tables/tables.ts';
import { escapeMarkdown } from './escape-markdown.ts';
import { startsNote } from './footnotes.ts';
import { countLetters, findHeadingLevel, isBold } from './headings/find-level.ts';
import type { HeadingStyles } from './headings/styles.ts';
import { joinLines } from './join-lines.ts';
import type { Line } from './lines.ts';
import { signScripts, signsToTags } from './scripts.ts';
import type { Vocabulary } from './vocabulary.ts';
import type { TextWord } from './words.ts';

/** A block with its bounding box, before conversion to the document model. */
export interface Draft extends Rect {
  type: BlockType;
  text: string;
  markdown: string;
  level?: number;
  /** Lines from which the block was built. Only present for text. */
  lines?: readonly Line[];
  /** True for a displayed formula. */
  isFormula?: boolean;
}

export interface BlockContext {
  /** Font size of the document's body text in points. */
  bodySize: number;
  /** One-based number of the page in the file. Undefined if footnotes are not linked, as in recognized text. */
  pageNumber: number | undefined;
  /** Font size of a line, as a multiple of its `size`. More than 1 if sizes are heights of letters, as OCR gives them. */
  fontSizePerSize: number;
  /** True if the body text is monospaced. Monospaced text is then not treated as code. */
  bodyIsMonospace: boolean;
  headingStyles: HeadingStyles;
  /** Outline entries of this page: the text without spaces, with its depth. */
  outline: ReadonlyMap<string, number>;
  tables: TableOptions;
  /** True to accept weaker evidence for tables. */
  aggressiveTables: boolean;
  /** Returns the link target of a word, or `undefined` if the word is not part of a link. */
  findLinkUrl(word: TextWord): string | undefined;
  vocabulary: Vocabulary;
}

const BULLET = /^([•●○◦▪▫■□◆❖◇►▶➢➤✓✔‣⁃∙·–—*-]|[\uf000-\uf0ff]|o(?= ))\s+(?=\S)/u;
/** Matches marks that also occur inside sentences, where a line may start with them by chance. */
const WEAK_BULLET = /^[·–—*-]\s/;
const LEADER = /\.{4}\s*\S{1,6}$/;
const LEADER_REACH = 40;
const NUMBERED = /^(\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|[A-Z]\))\s+(?=\S)/;
const SENTENCE_END = /[.!?:;。！？]["'”’)\]]?$/u;

const isMonospace = (line: Line) => line.words.every((word) => word.style.monospace);

/** Returns whether `line` starts a new block after `before`. Both are in the same column. */
function startsNewBlock(
  before: Line,
  line: Line,
  pitch: number,
  column: Rect,
  context: BlockContext,
): boolean {
  const gap = line.y1 - before.y1;
  const size = Math.max(line.size, before.size);
  if (gap > 1.28 * pitch + 0.5 || gap < -size * 0.5) return true;
  if (startsNote(line, context.bodySize)) return true;
  if (continuesSentence(before, line, column)) return false;
  if (
    Math.abs(line.size - before.size) > 0.12 * size &&
    Math.min(countLetters(line), countLetters(before)) > 3
  )
    return true;
  if (isBold(line) !== isBold(before) && (isBold(before) || isBold(line)) && !isBoldRunIn(before, line))
    return true;
  if (isMonospace(line) !== isMonospace(before) && !context.bodyIsMonospace) return true;
  if (LEADER.test(before.text.slice(-LEADER_REACH))) return true;
  if (BULLET.test(line.text) || NUMBERED.test(line.text)) {
    const sibling = WEAK_BULLET.test(before.text) && Math.abs(line.x0 - before.x0) < 2;
    return !WEAK_BULLET.test(line.text) || sibling || SENTENCE_END.test(before.text);
  }
  // An indented line starts a paragraph if a sentence ended in the line before. So does a line after one that
  // ended early with a sentence.
  const indent = line.rtl ? column.x1 - line.x1 - (column.x1 - before.x1) : line.x0 - before.x0;
  const early = line.rtl ? before.x0 - column.x0 : column.x1 - before.x1;
  if (indent > 0.7 * size && indent < 6 * size && SENTENCE_END.test(before.text) && !BULLET.test(before.text))
    return true;
  return early > 0.25 * (column.x1 - column.x0) && SENTENCE_END.test(before.text) && early > 6 * size;
}

/** Returns whether a line continues the sentence of a full line in the same size, for example in bold. */
function continuesSentence(before: Line, line: Line, column: Rect): boolean {
  const size = Math.max(line.size, before.size);
  return (
    Math.abs(line.size - before.size) < 0.05 * size &&
    /[\p{Ll},-]$/u.test(before.text) &&
    /^\p{Ll}{2}/u.test(line.text) &&
    !NUMBERED.test(line.text) &&
    column.x1 - before.x1 < 0.15 * (column.x1 - column.x0) &&
    isMonospace(line) === isMonospace(before)
  );
}

/** A paragraph may start with some words in bold and continue in plain type. */
function isBoldRunIn(before: Line, line: Line): boolean {
  return before.words[0]!.style.bold !== before.words.at(-1)!.style.bold && !isBold(line);
}

/** Groups the lines of a column into blocks, from top to bottom. */
export function groupIntoBlocks(lines: readonly Line[], context: BlockContext): Draft[] {
  if (lines.length === 0) return [];
  const pitches: number[] = [];
  for (let index = 1; index < lines.length; index++) {
    const step = lines[index]!.y1 - lines[index - 1]!.y1;
    if (step > 0 && step < 2.2 * lines[index]!.size * context.fontSizePerSize) pitches.push(step);
  }
  const column = union(lines);
  const usualPitch = median(pitches);
  const groups: Line[][] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    // The usual line distance of the column, limited to a range that suits the font size.
    const size = line.size * context.fontSizePerSize;
    const pitch = Math.max(Math.min(usualPitch || 1.3 * size, 1.9 * size), 1.12 * line.size);
    if (!before || startsNewBlock(before, line, pitch, column, context)) groups.push([line]);
    else groups.at(-1)!.push(line);
  }
  const drafts: Draft[] = [];
  for (const [index, group] of groups.entries()) {
    const before = drafts.at(-1);
    const draft = toDraft(group, context, groups[index + 1]?.[0], before?.text ?? '');
    const mergeable =
      before && before.type === draft.type && (draft.type === 'list' || draft.type === 'code');
    if (mergeable && overlapX(before, draft) > 0 && draft.y0 - before.y1 < 2 * context.bodySize) {
      drafts[drafts.length - 1] = {
        ...union([before, draft]),
        lines: joinSourceLines(before, draft),
        type: draft.type,
        text: `${before.text}\n${draft.text}`,
        markdown:
          draft.type === 'code'
            ? fence(`${before.text}\n${draft.text}`)
            : `${before.markdown}\n${draft.markdown}`,
      };
    } else drafts.push(draft);
  }
  return drafts;
}

/** Appends the lines to the first block's own array, so that joining many list items takes linear time. */
function joinSourceLines(before: Draft, draft: Draft): readonly Line[] {
  const lines = (before.lines ?? []) as Line[];
  for (const each of draft.lines ?? []) lines.push(each);
  return lines;
}

const fence = (text: string) => `\`\`\`\n${text}\n\`\`\``;

function toDraft(
  lines: readonly Line[],
  context: BlockContext,
  following: Line | undefined,
  before: string,
): Draft {
  const box = union(lines);
  const text = joinLines(lines, context.vocabulary);
  if (
    !context.bodyIsMonospace &&
    lines.every(isMonospace) &&
    (lines.length > 1 || /[{}();=<>$#/\\]/.test(text))
  ) {
    const code = renderCode(lines);
    return { ...box, lines, type: 'code', text: code, markdown: fence(code) };
  }
  const bullet = BULLET.exec(text);
  const level = bullet ? undefined : findHeadingLevel(lines, text, context, following, before);
  const marked = renderMarkdown(lines, text, context);
  if (level !== undefined)
    return { ...box, lines, type: 'heading', text, level, markdown: `${'#'.repeat(level)} ${marked}` };
  if (bullet) {
    const item = text.slice(bullet[0].length);
    return {
      ...box,
      lines,
      type: 'list',
      text: `- ${item}`,
      markdown: `- ${renderMarkdown(lines, text, context, bullet[0].length)}`,
    };
  }
  const numbered = NUMBERED.exec(text);
  if (numbered) {
    const rest = renderMarkdown(lines, text, context, numbered[0].length);
    const markdown = /^\d+[.)]$/.test(numbered[1]!) ? `${numbered[1]} ${rest}` : `- ${numbered[1]} ${rest}`;
    return { ...box, lines, type: 'list', text, markdown };
  }
  return { ...box, lines, type: 'paragraph', text, markdown: marked };
}

/** Joins lines into one text in which signs enclose superscripts and subscripts. */
function joinSigned(lines: readonly Line[], text: string, context: BlockContext, skip: number): string {
  const signed = lines.map(signScripts);
  if (signed.every((each, at) => each === lines[at]!.text)) return text;
  const joined = joinLines(
    lines.map((line, at) => ({ ...line, text: signed[at]! })),
    context.vocabulary,
  );
  return joined.startsWith(text.slice(0, skip)) ? joined : text;
}

/** Renders the text as Markdown, with links if the caller requested them. */
function renderMarkdown(lines: readonly Line[], text: string, context: BlockContext, skip = 0): string {
  const plain = escapeMarkdown(joinSigned(lines, text, context, skip).slice(skip));
  const phrases = listLinkedPhrases(lines, context).map(([phrase, url]) => ({
    text: escapeMarkdown(phrase),
    url,
  }));
  const places = findInOrder(
    plain,
    phrases.map((phrase) => phrase.text),
  );
  const parts: string[] = [];
  let from = 0;
  for (const [index, phrase] of phrases.entries()) {
    const at = places[index]!;
    if (at < 0) continue;
    parts.push(plain.slice(from, at), `[${phrase.text}](${phrase.url})`);
    from = at + phrase.text.length;
  }
  return signsToTags(parts.join('') + plain.slice(from));
}

function listLinkedPhrases(lines: readonly Line[], context: BlockContext): [phrase: string, url: string][] {
  const phrases: [string, string][] = [];
  for (const line of lines) {
    let open: [string, string] | undefined;
    for (const word of line.words) {
      const url = context.findLinkUrl(word);
      if (url === undefined) open = undefined;
      else if (open && open[1] === url) open[0] += ` ${word.text}`;
      else {
        open = [word.text, url];
        phrases.push(open);
      }
    }
  }
  return phrases;
}

/** Renders monospaced text with its columns preserved. All letters have the same width. */
function renderCode(lines: readonly Line[]): string {
  const left = smallest(lines.map((line) => line.x0));
  const width =
    median(lines.flatMap((line) => line.words.map((word) => (word.x1 - word.x0) / [...word.text].length))) ||
    6;
  return lines.map((line) => padToColumns(line.words, left, width)).join('\n');
}

/** Pads words with spaces so that they start at the columns of their positions. */
export function padToColumns(words: readonly TextWord[], left: number, width: number): string {
  let text = '';
  for (const word of words) {
    const column = Math.round((word.x0 - left) / width);
    const least = text === '' ? 0 : text.length + (word.spaced ? 1 : 0);
    text = text.padEnd(Math.max(column, least)) + word.text;
  }
  return text;
}

export function toTableDraft(table: Table, context: BlockContext): Draft {
  return {
    x0: table.x0,
    y0: table.y0,
    x1: table.x1,
    y1: table.y1,
    type: 'table',
    text: table.rows.map((row) => row.map((cell) => oneLine(cell)).join('\t')).join('\n'),
    markdown: renderTable(table.rows, context.tables),
  };
}

export function toBlock(draft: Draft, boxes: Pick<Block, 'box' | 'lines'>): Block {
  const block: Block = { type: draft.type, text: draft.text, markdown: draft.markdown };
  if (draft.level !== undefined) block.level = draft.level;
  return { ...block, ...boxes };
}
