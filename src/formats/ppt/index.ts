import { ParseError } from '#src/documents/errors.ts';
import { OleFile } from '../shared/containers/ole.ts';
import { oleMetadata } from '../shared/containers/ole-properties.ts';
import type { Parser } from '../shared/driver.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { openPresentation, type Presentation } from './places.ts';
import { firstOf, type PptRecord, recordsIn, TYPES, viewOf } from './records.ts';

interface SlideText {
  kind: 'title' | 'body' | 'notes' | 'other';
  paragraphs: string[];
}

const KINDS: Record<number, SlideText['kind']> = {
  0: 'title',
  1: 'body',
  2: 'notes',
  5: 'body',
  6: 'title',
  7: 'body',
  8: 'body',
};

/** Stand for the number of the slide, a date, a footer. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the format's own marks
const MARKS = /[\u0000-\u0008\u000c\u000e-\u001f]/g;

const MAX_TEXT = 2 * 1024 * 1024;

const utf16 = new TextDecoder('utf-16le', { fatal: false, ignoreBOM: true });

const MAX_DEPTH = 40;

const MAX_SLIDES = 5_000;
/** Which of the document's lists names what. */
const SLIDES = 0;
const NOTES = 2;
/** Units of the format in a point. */
const UNITS = 8;
const HIDDEN = 4;

interface Listed {
  /** What the slide's record is found by, and what notes and slides call each other. */
  number: number;
  id: number;
  outline: SlideText[];
}

function listed(document: PptRecord, instance: number): Listed[] {
  const found: Listed[] = [];
  for (const list of recordsIn(document.data)) {
    if (list.type !== TYPES.list || list.instance !== instance) continue;
    let texts: PptRecord[] = [];
    for (const record of recordsIn(list.data)) {
      if (record.type !== TYPES.slidePersist || record.data.length < 16) {
        texts.push(record);
        continue;
      }
      if (found.length > 0) found.at(-1)!.outline = textsOf(texts);
      texts = [];
      const view = viewOf(record.data);
      found.push({ number: view.getUint32(0, true), id: view.getUint32(12, true), outline: [] });
      if (found.length > MAX_SLIDES) {
        throw new ParseError('TOO_MANY_PAGES', `The presentation has more than ${MAX_SLIDES} slides.`);
      }
    }
    if (found.length > 0) found.at(-1)!.outline = textsOf(texts);
  }
  return found;
}

function pageSize(document: PptRecord): { width: number; height: number } {
  const atom = firstOf(document.data, TYPES.documentAtom)?.data;
  const [width, height] =
    atom && atom.length >= 8 ? [viewOf(atom).getInt32(0, true), viewOf(atom).getInt32(4, true)] : [0, 0];
  return width > 0 && height > 0
    ? { width: width / UNITS, height: height / UNITS }
    : { width: 720, height: 540 };
}

function isHidden(slide: PptRecord): boolean {
  const info = firstOf(slide.data, TYPES.slideInfo)?.data;
  return info !== undefined && info.length >= 12 && (viewOf(info).getUint16(10, true) & HIDDEN) !== 0;
}

/** What a slide calls its notes; 0 is none. */
function notesOf(slide: PptRecord): number {
  const atom = firstOf(slide.data, TYPES.slideAtom)?.data;
  return atom && atom.length >= 20 ? viewOf(atom).getUint32(16, true) : 0;
}

/** Placeholders of numbers and dates have a star in place of their text. */
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
  const lines = shapeTexts(notes.data, [])
    .filter(({ kind }) => kind === 'notes')
    .flatMap(({ paragraphs }) => paragraphs.filter(isShown));
  if (lines.length === 0) return;
  flow.heading(3, [{ text: 'Notes' }]);
  flow.paragraph([{ text: lines.join('\n') }]);
}

function writeSlide(flow: Flow, slide: PptRecord, outline: SlideText[]): void {
  const texts = shapeTexts(slide.data, outline);
  const isTitle = ({ kind }: SlideText) => kind === 'title';
  for (const text of texts.filter(isTitle)) writeText(flow, text);
  for (const text of texts.filter((one) => !isTitle(one))) writeText(flow, text);
}

function notesById({ document, find }: Presentation): (id: number) => PptRecord | undefined {
  const numbers = new Map(listed(document, NOTES).map(({ id, number }) => [id, number]));
  return (id) => {
    const number = numbers.get(id);
    numbers.delete(id);
    return number === undefined ? undefined : find(number);
  };
}

/** Presentations of PowerPoint 97 to 2003: one page a slide, speaker notes after its content. */
export const pptParser: Parser = {
  async open({ bytes, plan, budget }) {
    const container = new OleFile(bytes);
    const presentation = openPresentation(container, plan.pages.password);
    const { document, find } = presentation;
    const notes = notesById(presentation);
    const size = pageSize(document);
    const flow = new Flow(plan, budget);
    const seen = new Set<number>();
    for (const [index, { number, outline }] of listed(document, SLIDES).entries()) {
      // A record is one slide: a list that repeats it only multiplies the work.
      if (seen.has(number)) continue;
      seen.add(number);
      const slide = find(number);
      if (slide?.type !== TYPES.slide)
        throw new ParseError('FILE_IS_BROKEN', `The file is damaged: slide ${index + 1} is missing.`);
      if (isHidden(slide) && plan.layout.removeHidden) continue;
      flow.startPage({ ...size, label: String(index + 1) });
      writeSlide(flow, slide, outline);
      writeNotes(flow, notes(notesOf(slide)));
    }
    const opened = finishDocument(flow, oleMetadata(container));
    return presentation.unlocked ? { ...opened, unlocked: true } : opened;
  },
};

/** Each byte is the low half of a character. */
function narrow(bytes: Uint8Array): string {
  const wide = new Uint8Array(bytes.length * 2);
  for (let at = 0; at < bytes.length; at++) wide[at * 2] = bytes[at]!;
  return utf16.decode(wide);
}

function paragraphsOf({ type, data }: PptRecord): string[] {
  if (data.length > MAX_TEXT) {
    throw new ParseError('DOCUMENT_TOO_LARGE', `The presentation has a text of ${data.length} bytes.`);
  }
  const text = type === TYPES.wideText ? utf16.decode(data) : narrow(data);
  return text.replaceAll('\u000b', '\n').replace(MARKS, '').split('\r');
}

/**
 * The texts of a shape or of the document's list, one for each heading, which may be empty. `outline` are those that
 * shapes refer to; each is given once.
 */
function textsOf(records: Iterable<PptRecord>, outline: (SlideText | undefined)[] = []): SlideText[] {
  const texts: SlideText[] = [];
  for (const record of records) {
    const { type, data } = record;
    if (type === TYPES.textHeader && data.length >= 4) {
      texts.push({ kind: KINDS[viewOf(data).getUint32(0, true)] ?? 'other', paragraphs: [] });
    } else if (type === TYPES.wideText || type === TYPES.narrowText) {
      const last = texts.at(-1);
      if (last?.paragraphs.length === 0) last.paragraphs = paragraphsOf(record);
      else texts.push({ kind: 'other', paragraphs: paragraphsOf(record) });
    } else if (type === TYPES.outlineReference && data.length >= 4) {
      const index = viewOf(data).getUint32(0, true);
      const text = outline[index];
      if (text) texts.push(text);
      outline[index] &&= undefined;
    }
  }
  return texts;
}

/** The texts in the shapes of a slide or of its notes. */
function shapeTexts(drawing: Uint8Array, outline: (SlideText | undefined)[]): SlideText[] {
  return [...textBoxesIn(drawing)].flatMap((box) => textsOf(recordsIn(box.data), outline));
}

/** However deep in groups of shapes. */
function* textBoxesIn(bytes: Uint8Array, depth = 0): Generator<PptRecord> {
  for (const record of recordsIn(bytes)) {
    if (record.type === TYPES.clientText) yield record;
    else if (record.isContainer && depth < MAX_DEPTH) yield* textBoxesIn(record.data, depth + 1);
  }
}
