import type { Page } from '#src/documents/document.ts';
import type { Found } from '#src/extraction/values/find-all.ts';
import { DATE_LIKE } from '#src/extraction/values/patterns.ts';
import { squash } from '#src/lib/text/words.ts';
import type { Candidate as Evidence, EvidenceModel, Features, Span } from './evidence.ts';
import type { Field } from './fields.ts';
import { type LabelHit, type LabelIndex, looksLikeLabel } from './labels.ts';
import { getBoundingBox, getHorizontalOverlap, type LayoutPage, type Segment } from './layout.ts';
import type { Prose } from './prose/index.ts';
import { measureFlow } from './prose/passages.ts';
import { type Locale, readValues } from './read.ts';
import type { Dictionaries } from './vocabulary/dictionary.ts';

/** Candidate value with a score, by which the readers of labels, tables and parties compare candidates. */
export interface Candidate extends Evidence {
  /**
   * Score from 0 to 1. In the result of an extraction, the score is the probability that the value is right.
   */
  score: number;
}

/** Data about the document that all readers of one extraction share. */
export interface Context {
  pages: LayoutPage[];
  labels: LabelIndex;
  words: Dictionaries;
  locale: Locale;
  /** Running text of the pages, and the pages from which it was read. */
  prose: Prose;
  parsedPages: readonly Page[];
  /** Weights of the evidence for single values and for lists. */
  model: EvidenceModel;
}

export function toSpan(segment: Segment, start: number, end: number): Span {
  const words = segment.words
    .filter(({ start: from, word }) => from < end && from + word[0].length > start)
    .map(({ word }) => word);
  const span = { page: segment.page.index, text: segment.text.slice(start, end) };
  return words.length > 0 ? { ...span, box: getBoundingBox(words) } : span;
}

export function toCandidate(segment: Segment, found: Found, score: number, label?: string): Candidate {
  const span = toSpan(segment, found.start, found.end);
  return {
    value: found.value,
    score,
    spans: [span],
    ...(label && { label }),
    features: { type: found.quality },
  };
}

/** Returns the values that follow the labels of a field on the same line or stand below them. */
export function readLabelledValues(field: Field, context: Context): Candidate[] {
  const own = new Set([field.concept?.id, field.amount].filter((id) => id !== undefined));
  const out: Candidate[] = [];
  for (const phrase of field.phrases) {
    for (const hit of context.labels.find(phrase, own)) {
      const inline = readInlineValues(field, hit, context.locale);
      for (const each of addPlaceFeatures(inline, 'labelInline', hit)) out.push(each);
      // In "Tax 15% of 100.00 … 15.00", the field's amount is at the end of the line, although an amount
      // directly follows the label.
      const goesOn = field.kind === 'money' || inline.length === 0;
      // A single word inside a longer text is part of that text and not a label.
      if (field.kind === 'text' && hit.score < 0.5) continue;
      if (!goesOn || hit.inlineOnly || !endsSegment(hit)) continue;
      const besideLabel = readValuesBeside(field, hit, context.locale);
      for (const each of addPlaceFeatures(besideLabel, 'labelBeside', hit)) out.push(each);
      const strong = besideLabel.some((candidate) => candidate.score > hit.score * 0.7);
      const belowLabel = readValuesBelow(field, hit, context.locale);
      const weaker = belowLabel.map((candidate) => ({
        ...candidate,
        score: candidate.score * (strong ? 0.6 : 1),
      }));
      for (const each of addPlaceFeatures(weaker, 'labelBelow', hit)) out.push(each);
    }
  }
  return out;
}

/**
 * Number of words before and after a label that are checked to find out whether the label is part of a
 * sentence.
 */
const NEIGHBOURS = 3;

function addPlaceFeatures(
  candidates: Candidate[],
  place: 'labelInline' | 'labelBeside' | 'labelBelow',
  { segment }: LabelHit,
): Candidate[] {
  const { segments } = segment.page.lines[segment.line]!;
  const around = segments.slice(Math.max(0, segment.index - NEIGHBOURS), segment.index + NEIGHBOURS + 1);
  const running = measureFlow(around.map(({ text }) => text).join(' '));
  return candidates.map((candidate) =>
    withFeatures(candidate, { label: candidate.score, [place]: 1, running }),
  );
}

/** Returns a copy of the candidate with additional evidence. */
export const withFeatures = <Told extends Evidence>(candidate: Told, features: Features): Told => ({
  ...candidate,
  features: { ...candidate.features, ...features },
});

function endsSegment(hit: LabelHit): boolean {
  return !/[\p{L}\p{N}]/u.test(hit.segment.text.slice(hit.end)) || hit.segment.tokens.length <= 6;
}

const CONNECTORS =
  /^[\s:#=.)\]*†%]*(?:(?:nr|no|num|is|am|on|of|vom|van|du|de|issued at|dated|z dnia|d\.d\.)\b[.:°\s]*)*/i;

const LEADS_TO_VALUE =
  /\s(?:vom|van|du|of|on|am|dated|d\.d\.|issued (?:at|on)|z dnia|le|n(?:r|o)\.?|n°|number|#)\s*$/i;

function readInlineValues(field: Field, hit: LabelHit, locale: Locale): Candidate[] {
  const { segment } = hit;
  const rest = segment.text.slice(hit.end);
  if (!/[\p{L}\p{N}☐-☒]/u.test(rest)) return [];
  if (field.kind === 'text' && !hit.closed) {
    // Without a colon, only a label at the beginning of a text can be distinguished from a sentence.
    const opens = /^[\s\d.)•–-]*$/.test(segment.text.slice(0, segment.tokens[0]?.start)) && hit.score >= 0.6;
    if (!opens || !/^\s+[\p{Lu}\d]/u.test(rest)) return [];
  }
  const lead = CONNECTORS.exec(rest)?.[0].length ?? 0;
  const values = readValues(field, rest, locale).filter((found) => {
    // For an identifier, a date-like value directly after the label is accepted as a number. After a word
    // such as "of" or "vom", it is a date and is skipped.
    const isDate = field.kind === 'identifier' && DATE_LIKE.test(found.text);
    return !isDate || !/\p{L}/u.test(rest.slice(0, found.start));
  });
  const factor = field.kind === 'text' && !hit.closed ? 0.6 : 1;
  return values.slice(0, 4).map((found, index) => {
    const between = rest.slice(lead, Math.max(lead, found.start)).replace(LEADS_TO_VALUE, '');
    const numbered = /\b(?:n(?:r|o)\.?|n°|number|#)\s*$/i.test(rest.slice(0, found.start));
    const apart = between.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const order = field.kind === 'money' ? 0.9 : 0.7;
    const near = 0.8 ** (numbered ? Math.min(1, apart) : apart) * order ** index;
    const moved = { ...found, start: found.start + hit.end, end: found.end + hit.end };
    return toCandidate(
      segment,
      moved,
      hit.score * near * factor * (0.5 + 0.5 * found.quality),
      segment.text.slice(0, hit.end),
    );
  });
}

function readValuesBeside(field: Field, hit: LabelHit, locale: Locale): Candidate[] {
  const { segment } = hit;
  const line = segment.page.lines[segment.line]!;
  const out: Candidate[] = [];
  let distance = 0;
  for (const next of line.segments.slice(segment.index + 1, segment.index + 7)) {
    if (looksLikeLabel(next)) break;
    const gap = next.box.x - (segment.box.x + segment.box.w);
    const factor = 0.97 ** distance * (1 - 0.25 * Math.min(1, Math.max(0, gap) / segment.page.width));
    for (const found of readValues(field, next.text, locale).slice(0, 3)) {
      const exact = 0.5 + 0.5 * found.quality * computeCoverage(found, next);
      out.push(toCandidate(next, found, hit.score * factor * exact, segment.text));
    }
    distance++;
    // An amount may be far from its label, at the right end of the line. Other values are next to their
    // label.
    if (field.kind !== 'money' && out.length > 0) break;
    if (field.kind === 'text') break;
    if (/\p{L}{4,}/u.test(next.text) && field.kind !== 'money') break;
  }
  if (field.kind === 'money' && out.length > 1) {
    // The last amount of a line is its result. The amounts before are rates and bases.
    return out.map((candidate, index) => ({
      ...candidate,
      score: candidate.score * (index === out.length - 1 ? 1 : 0.75),
    }));
  }
  return out;
}

function readValuesBelow(field: Field, hit: LabelHit, locale: Locale): Candidate[] {
  const { segment } = hit;
  const { page } = segment;
  const height = Math.max(segment.box.h, 6);
  const out: Candidate[] = [];
  const header = page.lines[segment.line]!.segments.filter((other) => other !== segment).some(looksLikeLabel);
  for (let index = segment.line + 1; index < Math.min(page.lines.length, segment.line + 5); index++) {
    const line = page.lines[index]!;
    const gap = line.y - (segment.box.y + segment.box.h);
    if (gap > height * 3.2) break;
    const under = line.segments.filter((other) => {
      const left = Math.abs(other.box.x - segment.box.x) < 8;
      const right = Math.abs(other.box.x + other.box.w - segment.box.x - segment.box.w) < 8;
      return left || right || getHorizontalOverlap(other.box, segment.box) > 0.4;
    });
    const [best] = under.sort(
      (a, b) =>
        getHorizontalOverlap(b.box, segment.box) - getHorizontalOverlap(a.box, segment.box) ||
        Math.abs(a.box.x - segment.box.x) - Math.abs(b.box.x - segment.box.x),
    );
    if (!best) continue;
    if (looksLikeLabel(best)) break;
    const factor = (header || segment.cell ? 0.92 : 0.75) * (1 - 0.06 * Math.max(0, gap / height));
    for (const found of readValues(field, best.text, locale).slice(0, 1)) {
      const exact = 0.5 + 0.5 * found.quality * computeCoverage(found, best);
      out.push(toCandidate(best, found, hit.score * factor * exact, segment.text));
    }
    if (out.length > 0 || field.kind === 'text') break;
  }
  return out;
}

/**
 * Returns a factor from 0.4 to 1, which grows with the value's share of the text. A value is more certain
 * alone than within a sentence.
 */
function computeCoverage(found: Found, segment: Segment): number {
  return Math.min(1, 0.4 + 0.6 * ((found.end - found.start) / Math.max(1, segment.text.trim().length)));
}

/** Matches labels of numbers that look like telephone numbers, such as account or customer numbers. */
const OTHER_NUMBER =
  /(?:^|[^\p{L}])(?:nip|regon|krs|siret|siren|rcs|kvk|hrb|vat|ust|btw|tva|iban|kto|konto|konta|account|customer|order|id|nr|no|#)[^\p{L}\p{N}]*$/iu;

const getTextBefore = (text: string, end: number) => text.slice(Math.max(0, end - 60), end);

export const isRecognisedByForm = ({ kind }: Field): boolean =>
  ['email', 'url', 'iban', 'bic', 'vat_id', 'phone', 'uuid'].includes(kind);

/**
 * Returns values that are recognised by their form, such as e-mail addresses. The score is higher if the
 * document contains only one such value.
 */
export function readUnlabelledValues(field: Field, context: Context): Candidate[] {
  if (!isRecognisedByForm(field)) return [];
  const out: Candidate[] = [];
  for (const segment of listSegments(context.pages)) {
    for (const found of readValues(field, segment.text, context.locale)) {
      if (field.kind === 'vat_id' && found.quality < 0.9) continue;
      if (field.kind === 'phone' && OTHER_NUMBER.test(getTextBefore(segment.text, found.start))) continue;
      if (found.quality < 0.7 || (field.kind === 'phone' && found.text.replace(/\D/g, '').length < 9))
        continue;
      out.push(toCandidate(segment, found, 0.45 * found.quality));
    }
  }
  const distinct = new Set(out.map((candidate) => squash(String(candidate.value)))).size;
  return out.map((candidate) => ({ ...candidate, score: candidate.score * (distinct === 1 ? 1.2 : 1) }));
}

export function* listSegments(pages: LayoutPage[]): Generator<Segment> {
  for (const page of pages) for (const line of page.lines) yield* line.segments;
}

/**
 * Merges candidates with equal values, best first. Further independent places of a value add up to 0.15 to
 * its score.
 */
export function mergeCandidates(candidates: Candidate[]): Candidate[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key =
      typeof candidate.value === 'number' ? String(candidate.value) : squash(JSON.stringify(candidate.value));
    const group = groups.get(key);
    if (group) group.push(candidate);
    else groups.set(key, [candidate]);
  }
  const merged = [...groups.values()].map((group) => {
    const sorted = group.sort((left, right) => right.score - left.score);
    const best = sorted[0]!;
    const places = new Set(
      sorted.map(({ spans: [span] }) => `${span?.page}:${span?.box?.x}:${span?.box?.y}:${span?.text}`),
    );
    return { ...best, score: Math.min(1, best.score + Math.min(0.15, 0.05 * (places.size - 1))) };
  });
  return merged.sort((left, right) => right.score - left.score);
}
