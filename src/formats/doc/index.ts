import type { BlockType } from '#src/documents/document.ts';
import { OleFile } from '../shared/containers/ole.ts';
import { readOleMetadata } from '../shared/containers/ole-properties.ts';
import { buildDeletionOmission } from '../shared/containers/unread-parts.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { BodyReader } from './body.ts';
import { CommentQueue, readComments } from './comments.ts';
import { createDataView, openWordFile, readPositions, type WordFile } from './file-information.ts';
import { readText } from './pieces.ts';
import { readCharacterFormats, readParagraphFormats } from './properties.ts';

const STYLES = 1;

const LISTS = 73;

const LIST_USES = 74;

/** Numbers of built-in styles. */
const TITLE = 62;
const SUBTITLE = 74;

const NO_BASE = 0xfff;

const MAX_BASES = 11;

const BULLET = 23;

const NO_NUMBER = 255;

const LIST_SIZE = 28;

const LEVELS = 9;

interface Note {
  mark: string;
  /** Offsets in the document text at which the note's own text starts and ends. */
  from: number;
  to: number;
}

/** Numbers of the tables that contain the references to footnotes and the texts of footnotes. */
const FOOTNOTES = [2, 3] as const;

const ENDNOTES = [46, 47] as const;

const HEADER_POSITIONS = 11;
/** Number of note separators that are stored before the headers and footers of the first section. */
const SEPARATORS = 6;
const PER_SECTION = 6;
/** Indexes of the headers within a section's six headers and footers, for even, odd and first pages. */
const HEADERS = [0, 1, 4];
const FOOTERS = [2, 3, 5];

/** Returns the text ranges of all headers or all footers. `which` lists their indexes within each section. */
function listHeaderFooterRanges(
  file: WordFile,
  length: number,
  which: readonly number[],
): [from: number, to: number][] {
  const first = file.lengths.body + file.lengths.footnotes;
  const places = readPositions(file.table(HEADER_POSITIONS), 0).map((place) => first + place);
  const edges: [number, number][] = [];
  let reached = first;
  for (let index = SEPARATORS; index + 1 < places.length; index++) {
    const [from, to] = [places[index]!, places[index + 1]!];
    if (from < reached || from >= to || to > length) continue;
    reached = to;
    if (which.includes((index - SEPARATORS) % PER_SECTION)) edges.push([from, to]);
  }
  return edges;
}

/**
 * Parses Word 97-2003 documents. Pages follow explicit page breaks, because the format does not store the
 * page layout.
 */
export const docParser: Parser = {
  async open({ bytes, plan, budget }) {
    const container = new OleFile(bytes);
    const file = openWordFile(container, plan.pages.password);
    const source = readText(file);
    const length = source.text.length;
    const flow = new Flow(plan, budget);
    const notes = readNotes(file, length);
    const comments = new CommentQueue(readComments(file, length));
    let deletions = 0;
    const context = {
      flow,
      source,
      characters: readCharacterFormats(file),
      paragraphs: readParagraphFormats(file),
      headings: readHeadingStyles(file),
      isNumbered: readNumberedLists(file),
      removeHidden: plan.layout.removeHidden,
      // The text after the body belongs to headers, notes and text boxes, which are read on their own.
      takeComments: (to: number) => (to < file.lengths.body ? comments.take(to) : []),
      countDeletion: () => {
        deletions++;
      },
      noteAt: (position: number) => notes.get(position)?.mark,
    };
    const writeHeadersOrFooters = (type: BlockType, which: readonly number[]) => {
      const seen = new Set<string>();
      for (const [from, to] of listHeaderFooterRanges(file, length, which)) {
        const text = source.text.slice(from, to);
        if (!seen.has(text)) new BodyReader(context, type).read(from, to);
        seen.add(text);
      }
    };
    if (!plan.layout.hideHeaders) writeHeadersOrFooters('header', HEADERS);
    const { body, footnotes, headers, macros, endnotes, textBoxes } = file.lengths;
    new BodyReader(context).read(0, Math.min(length, body));
    for (const left of comments.take(length)) new BodyReader(context).writeComment(left);
    const boxes = body + footnotes + headers + macros + file.lengths.comments + endnotes;
    if (boxes + textBoxes <= length) new BodyReader(context).read(boxes, boxes + textBoxes);
    for (const { mark, from, to } of notes.values()) {
      const { text, markdown } = flow.render(new BodyReader(context).inline(from, to), false);
      if (text !== '') flow.block({ type: 'paragraph', text, markdown: `[^${mark}]: ${markdown}` });
    }
    if (!plan.layout.hideFooters) writeHeadersOrFooters('footer', FOOTERS);
    if (deletions > 0) flow.omit(buildDeletionOmission(deletions));
    const document = finishDocument(flow, readOleMetadata(container));
    return file.unlocked ? { ...document, unlocked: true } : document;
  },
};

/**
 * Returns footnotes and endnotes, keyed by the text position of their reference. All footnotes are numbered
 * first, then all endnotes.
 */
function readNotes(file: WordFile, length: number): Map<number, Note> {
  const { body, footnotes, headers, macros, comments } = file.lengths;
  const notes = new Map<number, Note>();
  const add = ([references, texts]: readonly [number, number], first: number) => {
    const places = readPositions(file.table(references), 2);
    const starts = readPositions(file.table(texts), 0);
    // Skips notes that overlap an earlier note. A malicious file could otherwise repeat the same text many
    // times.
    let reached = first;
    for (let index = 0; index + 1 < places.length && index + 1 < starts.length; index++) {
      const [from, to] = [first + starts[index]!, first + starts[index + 1]!];
      if (from >= reached && from < to && to <= length && !notes.has(places[index]!)) {
        reached = to;
        notes.set(places[index]!, { mark: String(notes.size + 1), from, to });
      }
    }
  };
  add(FOOTNOTES, body);
  add(ENDNOTES, body + footnotes + headers + macros + comments);
  return notes;
}

/**
 * Returns the heading level (1 to 9) of each heading style, by style number. A style may inherit its level
 * from a base style.
 */
function readHeadingStyles(file: WordFile): Map<number, number> {
  const sheet = file.table(STYLES);
  const view = createDataView(sheet);
  const styles = new Map<number, { kind: number; base: number }>();
  if (sheet.length >= 4) {
    const count = view.getUint16(2, true);
    let at = 2 + view.getUint16(0, true);
    for (let index = 0; index < count && at + 2 <= sheet.length; index++) {
      const size = view.getUint16(at, true);
      if (size >= 4 && at + 6 <= sheet.length) {
        styles.set(index, {
          kind: view.getUint16(at + 2, true) & 0xfff,
          base: view.getUint16(at + 4, true) >> 4,
        });
      }
      at += 2 + size + (size % 2);
    }
  }
  const levels = new Map<number, number>();
  // Every Word document uses styles 1 to 9 for its built-in heading levels.
  for (let level = 1; level <= 9; level++) levels.set(level, level);
  for (const index of styles.keys()) {
    let style = index;
    for (let depth = 0; depth < MAX_BASES && style !== NO_BASE; depth++) {
      const { kind = 0, base = NO_BASE } = styles.get(style) ?? {};
      if (kind >= 1 && kind <= 9) levels.set(index, kind);
      if (kind === TITLE) levels.set(index, 1);
      if (kind === SUBTITLE) levels.set(index, 2);
      if (levels.has(index)) break;
      style = base;
    }
  }
  return levels;
}

/**
 * Returns a function that tells whether a level of a list is numbered instead of bulleted. List numbers start
 * at 1.
 */
function readNumberedLists(file: WordFile): (list: number, level: number) => boolean {
  const numbered = new Map<number, boolean[]>();
  const uses = file.table(LIST_USES);
  const lists = file.table(LISTS);
  const levels = file.after(LISTS);
  const [view, levelView] = [createDataView(lists), createDataView(levels)];
  let at = 0;
  const count = lists.length >= 2 ? view.getUint16(0, true) : 0;
  for (let index = 0; index < count && 2 + (index + 1) * LIST_SIZE <= lists.length; index++) {
    const start = 2 + index * LIST_SIZE;
    const isSimple = (lists[start + 26]! & 1) === 1;
    const kinds: boolean[] = [];
    for (let level = 0; level < (isSimple ? 1 : LEVELS) && at + 30 <= levels.length; level++) {
      const kind = levels[at + 4]!;
      kinds.push(kind !== BULLET && kind !== NO_NUMBER);
      at += 28 + levels[at + 24]! + levels[at + 25]!;
      if (at + 2 <= levels.length) at += 2 + levelView.getUint16(at, true) * 2;
    }
    numbered.set(view.getUint32(start, true), kinds);
  }
  const useView = createDataView(uses);
  return (list, level) => {
    const place = 4 + (list - 1) * 16;
    if (list < 1 || place + 4 > uses.length) return false;
    return numbered.get(useView.getUint32(place, true))?.[level] ?? false;
  };
}
