import { ParseError } from '#src/documents/errors.ts';
import { OleFile } from '../shared/containers/ole.ts';
import { readOleMetadata } from '../shared/containers/ole-properties.ts';
import { writeComment } from '../shared/flow/comments.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { readComments } from './comments.ts';
import { openPresentation, type Presentation } from './presentation.ts';
import { createDataView, findRecord, iterateRecords, type PptRecord, TYPES } from './records.ts';
import { iterateParts, type SlidePart } from './shapes.ts';
import { readTexts, type SlideText } from './texts.ts';

const MAX_SLIDES = 5_000;
/** Instance numbers of the document's lists of slides and notes. */
const SLIDES = 0;
const NOTES = 2;
/** Master units of the PowerPoint format per point. */
const UNITS_PER_POINT = 8;
const HIDDEN_FLAG = 4;

interface ListedSlide {
  /**
   * Number of the slide's record in the persist directory. `id` is the number by which slides and notes refer
   * to each other.
   */
  number: number;
  id: number;
  outline: SlideText[];
}

function readSlideList(document: PptRecord, instance: number): ListedSlide[] {
  const found: ListedSlide[] = [];
  for (const list of iterateRecords(document.data)) {
    if (list.type !== TYPES.list || list.instance !== instance) continue;
    let texts: PptRecord[] = [];
    for (const record of iterateRecords(list.data)) {
      if (record.type !== TYPES.slidePersist || record.data.length < 16) {
        texts.push(record);
        continue;
      }
      if (found.length > 0) found.at(-1)!.outline = readTexts(texts);
      texts = [];
      const view = createDataView(record.data);
      found.push({ number: view.getUint32(0, true), id: view.getUint32(12, true), outline: [] });
      if (found.length > MAX_SLIDES) {
        throw new ParseError('TOO_MANY_PAGES', `The presentation has more than ${MAX_SLIDES} slides.`);
      }
    }
    if (found.length > 0) found.at(-1)!.outline = readTexts(texts);
  }
  return found;
}

function pageSize(document: PptRecord): { width: number; height: number } {
  const atom = findRecord(document.data, TYPES.documentAtom)?.data;
  const [width, height] =
    atom && atom.length >= 8
      ? [createDataView(atom).getInt32(0, true), createDataView(atom).getInt32(4, true)]
      : [0, 0];
  return width > 0 && height > 0
    ? { width: width / UNITS_PER_POINT, height: height / UNITS_PER_POINT }
    : { width: 720, height: 540 };
}

function isHidden(slide: PptRecord): boolean {
  const info = findRecord(slide.data, TYPES.slideInfo)?.data;
  return (
    info !== undefined && info.length >= 12 && (createDataView(info).getUint16(10, true) & HIDDEN_FLAG) !== 0
  );
}

/** Returns the id of a slide's notes, or 0 if the slide has none. */
function readNotesId(slide: PptRecord): number {
  const atom = findRecord(slide.data, TYPES.slideAtom)?.data;
  return atom && atom.length >= 20 ? createDataView(atom).getUint32(16, true) : 0;
}

/** Placeholders of numbers and dates contain an asterisk instead of their text. */
const isShown = (line: string) => line.trim() !== '' && line.trim() !== '*';

function writeText(flow: Flow, { kind, paragraphs }: SlideText): void {
  const lines = paragraphs.filter(isShown);
  if (kind === 'title') {
    const runs = lines.map((line, at) => ({ text: at > 0 ? `\n${line}` : line }));
    if (runs.length > 0) flow.heading(1, runs);
    return;
  }
  for (const line of lines) {
    if (kind === 'body' && lines.length > 1)
      flow.listItem({ level: 0, ordered: false, runs: [{ text: line }] });
    else flow.paragraph([{ text: line }]);
  }
}

function writeNotes(flow: Flow, notes: PptRecord | undefined): void {
  if (notes?.type !== TYPES.notes) return;
  const lines = [...iterateParts(notes.data, [])].flatMap((part) =>
    'text' in part && part.text.kind === 'notes' ? part.text.paragraphs.filter(isShown) : [],
  );
  if (lines.length === 0) return;
  flow.heading(3, [{ text: 'Notes' }]);
  flow.paragraph([{ text: lines.join('\n') }]);
}

function writeSlide(flow: Flow, slide: PptRecord, outline: SlideText[]): void {
  const parts = [...iterateParts(slide.data, outline)];
  const isTitle = (part: SlidePart) => 'text' in part && part.text.kind === 'title';
  for (const part of [...parts.filter(isTitle), ...parts.filter((one) => !isTitle(one))]) {
    if ('table' in part) flow.table(part.table);
    else writeText(flow, part.text);
  }
}

function createNotesLookup({ document, find }: Presentation): (id: number) => PptRecord | undefined {
  const numbers = new Map(readSlideList(document, NOTES).map(({ id, number }) => [id, number]));
  return (id) => {
    const number = numbers.get(id);
    numbers.delete(id);
    return number === undefined ? undefined : find(number);
  };
}

/**
 * Parses presentations of PowerPoint 97 to 2003 with one page per slide. Speaker notes follow the content of
 * their slide.
 */
export const pptParser: Parser = {
  async open({ bytes, plan, budget }) {
    const container = new OleFile(bytes);
    const presentation = openPresentation(container, plan.pages.password);
    const { document, find } = presentation;
    const notes = createNotesLookup(presentation);
    const size = pageSize(document);
    const flow = new Flow(plan, budget);
    const seen = new Set<number>();
    for (const [index, { number, outline }] of readSlideList(document, SLIDES).entries()) {
      // A list that repeats a record would multiply the work, so each record becomes one slide only.
      if (seen.has(number)) continue;
      seen.add(number);
      const slide = find(number);
      if (slide?.type !== TYPES.slide)
        throw new ParseError('FILE_IS_BROKEN', `The file is damaged: slide ${index + 1} is missing.`);
      if (isHidden(slide) && plan.layout.removeHidden) continue;
      flow.startPage({ ...size, label: String(index + 1) });
      writeSlide(flow, slide, outline);
      writeNotes(flow, notes(readNotesId(slide)));
      for (const comment of readComments(slide)) writeComment(flow, comment);
    }
    const opened = finishDocument(flow, readOleMetadata(container));
    return presentation.unlocked ? { ...opened, unlocked: true } : opened;
  },
};
