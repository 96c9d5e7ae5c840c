import type { BlockType } from '#src/documents/document.ts';
import { OleFile } from '../shared/containers/ole.ts';
import { oleMetadata } from '../shared/containers/ole-properties.ts';
import type { Parser } from '../shared/driver.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { BodyReader } from './body.ts';
import { openWordFile, positionsOf, type WordFile } from './file-information.ts';
import { readText } from './pieces.ts';
import { characterLooks, paragraphLooks } from './properties.ts';
import { headingStyles, numberedLists } from './styles.ts';

interface Note {
  mark: string;
  /** Where its text is. */
  from: number;
  to: number;
}

/** Numbers of the tables: where notes are referred to, and where the text of each begins. */
const FOOTNOTES = [2, 3] as const;

const ENDNOTES = [46, 47] as const;

const HEADER_PLACES = 11;
/** Before the headers and footers of the first section come the separators of notes. */
const SEPARATORS = 6;
const PER_SECTION = 6;
/** Of a section's six: on even pages, on odd ones, on the first. */
const HEADERS = [0, 1, 4];
const FOOTERS = [2, 3, 5];

/** Where the text of each header and footer is. */
function edgesOf(file: WordFile, length: number, which: readonly number[]): [from: number, to: number][] {
  const first = file.lengths.body + file.lengths.footnotes;
  const places = positionsOf(file.table(HEADER_PLACES), 0).map((place) => first + place);
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

/** Documents of Word 97 to 2003: pages by explicit breaks, since the format does not lay pages out. */
export const docParser: Parser = {
  async open({ bytes, plan, budget }) {
    const container = new OleFile(bytes);
    const file = openWordFile(container, plan.pages.password);
    const source = readText(file);
    const length = source.text.length;
    const flow = new Flow(plan, budget);
    const notes = readNotes(file, length);
    const context = {
      flow,
      source,
      characters: characterLooks(file),
      paragraphs: paragraphLooks(file),
      headings: headingStyles(file),
      isNumbered: numberedLists(file),
      removeHidden: plan.layout.removeHidden,
      noteAt: (position: number) => notes.get(position)?.mark,
    };
    const edges = (type: BlockType, which: readonly number[]) => {
      const seen = new Set<string>();
      for (const [from, to] of edgesOf(file, length, which)) {
        const text = source.text.slice(from, to);
        if (!seen.has(text)) new BodyReader(context, type).read(from, to);
        seen.add(text);
      }
    };
    if (!plan.layout.hideHeaders) edges('header', HEADERS);
    const { body, footnotes, headers, macros, comments, endnotes, textBoxes } = file.lengths;
    new BodyReader(context).read(0, Math.min(length, body));
    const boxes = body + footnotes + headers + macros + comments + endnotes;
    if (boxes + textBoxes <= length) new BodyReader(context).read(boxes, boxes + textBoxes);
    for (const { mark, from, to } of notes.values()) {
      const { text, markdown } = flow.render(new BodyReader(context).inline(from, to), false);
      if (text !== '') flow.block({ type: 'paragraph', text, markdown: `[^${mark}]: ${markdown}` });
    }
    if (!plan.layout.hideFooters) edges('footer', FOOTERS);
    const document = finishDocument(flow, oleMetadata(container));
    return file.unlocked ? { ...document, unlocked: true } : document;
  },
};

/** The notes of a document by where they are referred to, numbered in that order, endnotes after footnotes. */
function readNotes(file: WordFile, length: number): Map<number, Note> {
  const { body, footnotes, headers, macros, comments } = file.lengths;
  const notes = new Map<number, Note>();
  const add = ([references, texts]: readonly [number, number], first: number) => {
    const places = positionsOf(file.table(references), 2);
    const starts = positionsOf(file.table(texts), 0);
    // Notes that share text would be copies of it.
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
