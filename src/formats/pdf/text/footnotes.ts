import { largest } from '#src/lib/extremes.ts';
import { overlapX } from '../geometry.ts';
import type { Draft } from './blocks.ts';
import { escapeBlockStart } from './escape-markdown.ts';
import type { Line } from './lines.ts';
import { readLeadingScript } from './scripts.ts';

/** Notes are smaller than the text. In body font sizes. */
const MAX_NOTE_SIZE = 0.95;
/** Minimum white space above a note in the size of the text, in body font sizes. */
const MIN_GAP = 1.2;
/** Maximum number of notes on a page. Each note is compared with all blocks. */
const MAX_NOTES = 100;
/** Characters before a raised letter or digit that are read to tell a mark from an exponent. */
const BEFORE = 6;
const RAISED_NOTE = /^<sup>(\d{1,3}|\p{L}|[*∗†‡§¶‖]{1,3})<\/sup>\s*(?=\S)/u;
const SYMBOL_NOTE = /^((?:[∗†‡§¶‖]|\\\*){1,3})\s?(?=[\p{L}\p{N}“"(])/u;
const RAISED_MARK = /\s?<sup>([^<]{1,12})<\/sup>/gu;
const SYMBOL_MARK = /(?<=[\p{L}\p{M}.,;:!?)"”’])((?:[∗†‡§¶‖]|\\\*){1,3})(?=[\s,.;:)]|<sup>|$)/gu;
/** Matches the end of a number, a unit or a variable. Raised letters and digits after it are an exponent. */
const BASE =
  /(?:\d|(?<![\p{Script=Latin}\p{Script=Greek}])[\p{Script=Latin}\p{Script=Greek}]{1,2}[)\]]?|<\/sub>)$/u;
/** Matches a single letter, which is a variable. An asterisk or dagger after it belongs to its name. */
const VARIABLE = /(?<![\p{L}\p{M}])\p{L}$/u;

interface Note {
  draft: Draft;
  /** Mark in a form that is independent of how the page prints it. */
  mark: string;
  /** Markdown of the note without its mark. */
  rest: string;
}

/** Returns whether a line in small letters begins with the mark of a footnote. */
export const startsNote = (line: Line, bodySize: number): boolean =>
  line.size < MAX_NOTE_SIZE * bodySize &&
  (/^[∗†‡§¶]\s?\p{L}/u.test(line.text) || /^(?:\d{1,3}|\p{L})$/u.test(readLeadingScript(line) ?? ''));

/**
 * Writes footnotes of a page in the syntax of Markdown and moves them behind the text. A note is changed only if it
 * stands at the foot of its column and the text above shows its mark. The page number makes labels unique, because
 * pages are read one by one and joined later.
 */
export function linkFootnotes(drafts: readonly Draft[], bodySize: number, pageNumber: number): Draft[] {
  const notes = findNotes(drafts, bodySize);
  if (notes.size === 0) return [...drafts];
  const used = new Set<string>();
  const toLabel = (mark: string) => `[^p${pageNumber}-${mark}]`;
  const text = drafts.filter((draft) => !notes.has(draft));
  for (const draft of text) {
    if (draft.type === 'table' || draft.type === 'code' || draft.isFormula) continue;
    draft.markdown = linkMarks(draft.markdown, notes, (mark) => {
      used.add(mark);
      return toLabel(mark);
    });
  }
  const isUsed = (draft: Draft) => used.has(notes.get(draft)?.mark ?? '');
  const linked = drafts.filter(isUsed);
  for (const draft of linked) {
    const { mark, rest } = notes.get(draft)!;
    draft.type = 'paragraph';
    draft.markdown = `${toLabel(mark)}: ${escapeBlockStart(rest)}`;
  }
  return [...drafts.filter((draft) => !isUsed(draft)), ...linked];
}

/** Returns the notes at the foot of columns by their block. A mark that two notes share is left out. */
function findNotes(drafts: readonly Draft[], bodySize: number): Map<Draft, Note> {
  const candidates = new Map<Draft, Note>();
  for (const draft of drafts) {
    const note = draft.isFormula ? undefined : parseNote(draft);
    if (note) candidates.set(draft, note);
  }
  if (candidates.size > MAX_NOTES) return new Map();
  const counts = new Map<string, number>();
  for (const { mark } of candidates.values()) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const found = new Map<Draft, Note>();
  for (const note of candidates.values()) {
    if (counts.get(note.mark) === 1 && isAtFoot(note.draft, drafts, candidates, bodySize))
      found.set(note.draft, note);
  }
  return found;
}

/** Separates a block that begins with a mark from its mark. Returns `undefined` for other blocks. */
function parseNote(draft: Draft): Note | undefined {
  const { type, markdown } = draft;
  // A single item of a list with an asterisk is a note.
  if (type === 'list' && draft.lines?.[0]?.text.startsWith('* ') && /^- .*$/.test(markdown))
    return { draft, mark: '∗', rest: markdown.slice(2) };
  const match = type === 'paragraph' && (RAISED_NOTE.exec(markdown) ?? SYMBOL_NOTE.exec(markdown));
  return match ? { draft, mark: fold(match[1]!), rest: markdown.slice(match[0].length) } : undefined;
}

const readSize = (draft: Draft) => largest(draft.lines?.map(({ size }) => size) ?? [], 0);

/** Returns whether a block is small or stands apart, and only notes and small text follow below. */
function isAtFoot(
  note: Draft,
  drafts: readonly Draft[],
  candidates: ReadonlyMap<Draft, Note>,
  bodySize: number,
): boolean {
  const size = readSize(note);
  let gap = Number.POSITIVE_INFINITY;
  for (const other of drafts) {
    if (other === note || candidates.has(other) || overlapX(other, note) <= 0) continue;
    if (other.y0 + other.y1 < note.y0 + note.y1) gap = Math.min(gap, note.y0 - other.y1);
    else if (other.type !== 'paragraph' || readSize(other) > size + 0.5) return false;
  }
  if (size < MAX_NOTE_SIZE * bodySize) return true;
  return size <= bodySize + 0.5 && gap > MIN_GAP * bodySize && note.markdown.startsWith('<sup>');
}

/** Replaces the marks of known notes in Markdown. */
function linkMarks(
  markdown: string,
  notes: ReadonlyMap<Draft, Note>,
  link: (mark: string) => string,
): string {
  const known = new Set([...notes.values()].map(({ mark }) => mark));
  const raised = markdown.replace(RAISED_MARK, (whole, inner: string, at: number) => {
    const marks = inner.split(',').map((mark) => fold(mark.trim()));
    if (!marks.every((mark) => known.has(mark))) return whole;
    const isSymbol = marks.every((mark) => /^[^\p{L}\p{N}]/u.test(mark));
    if (at === 0 || (isSymbol ? VARIABLE : BASE).test(markdown.slice(Math.max(0, at - BEFORE), at)))
      return whole;
    return marks.map(link).join('');
  });
  return raised.replace(SYMBOL_MARK, (whole, inner: string, at: number) => {
    const isVariable = VARIABLE.test(raised.slice(Math.max(0, at - BEFORE), at));
    return known.has(fold(inner)) && !isVariable ? link(fold(inner)) : whole;
  });
}

/** Returns a mark with one form of the asterisk, which has no meaning in Markdown. */
const fold = (mark: string) => mark.replaceAll('\\', '').replaceAll('*', '∗');
