import { splitIdentifier, squash } from '#src/lib/text/words.ts';
import {
  type Candidate,
  type Context,
  listSegments,
  mergeCandidates,
  readLabelledValues,
  readUnlabelledValues,
  toCandidate,
} from './candidates.ts';
import type { Field } from './fields.ts';
import { readValues } from './read.ts';

// Readers for schema fields whose values are recognised by the field's meaning rather than by a printed
// label.

/**
 * Reads counts by category. For example, the field `fatal_injuries` gets 2 from "Injuries: 2 Fatal, 1 None".
 * A missing category becomes 0 only if the field's description says that 0 means none.
 */
export function readCounts(field: Field, context: Context): Candidate[] {
  if (field.kind !== 'number') return [];
  const words = splitIdentifier(field.name);
  const zeroMeansNone = /\b0 (when|if|for|where|means)\b|\bzero (when|if)\b/i.test(field.description);
  const out: Candidate[] = [];
  for (const [position, subject] of words.entries()) {
    const category = words.find((_, index) => index !== position);
    if (!category || subject.length < 4) continue;
    const hits = context.labels.find({ words: [subject], weight: 1, inlineOnly: false }, new Set());
    for (const hit of hits.filter(({ score }) => score >= 0.6)) {
      const { segment } = hit;
      const rest = segment.text.slice(hit.end);
      const next = segment.page.lines[segment.line]!.segments[segment.index + 1];
      const source = /\d/.test(rest)
        ? { segment, text: rest, offset: hit.end }
        : next && { segment: next, text: next.text, offset: 0 };
      if (!source) continue;
      const pairs = [...source.text.matchAll(/(?<!\d)(\d+)\s+(\p{L}+)/gu)];
      if (pairs.length === 0) continue;
      const own = pairs.find((pair) => splitIdentifier(pair[2]!)[0] === category);
      const shown = own ?? (zeroMeansNone ? pairs[0] : undefined);
      if (!shown) continue;
      const start = source.offset + shown.index;
      const found = {
        value: own ? Number(own[1]) : 0,
        text: shown[0],
        start,
        end: start + shown[0].length,
        quality: 1,
      };
      out.push(toCandidate(source.segment, found, own ? 0.9 : 0.75, segment.text));
    }
  }
  return out;
}

/**
 * Reads the currencies printed in a document for a currency field without a label. More frequent currencies
 * get higher scores.
 */
export function readCurrencies(field: Field, context: Context): Candidate[] {
  if (field.kind !== 'currency') return [];
  const counts = new Map<unknown, { candidate: Candidate; count: number }>();
  let total = 0;
  for (const segment of listSegments(context.pages)) {
    for (const found of readValues(field, segment.text, context.locale)) {
      total++;
      const known = counts.get(found.value);
      if (known) known.count++;
      else counts.set(found.value, { candidate: toCandidate(segment, found, 0.5), count: 1 });
    }
  }
  return [...counts.values()].map(({ candidate, count }) => ({
    ...candidate,
    score: 0.35 + 0.45 * (count / total),
  }));
}

/** Minimum running-text score, from 0 to 1, at which a label counts as an ordinary word of a sentence. */
const MIN_RUNNING = 0.7;

/**
 * Returns the values of a list field. Fields with a recognisable format collect matching values from the
 * whole text. Otherwise the values after the field's label are returned.
 */
export function readLists(field: Field, context: Context): Candidate[] {
  const anywhere = readUnlabelledValues(field, context);
  if (anywhere.length > 0) return removeDuplicates(anywhere);
  // Labels inside sentences are ignored, because prose readers handle lists in sentences.
  const found = readLabelledValues(field, context).filter(
    ({ features: { running = 0 } }) => running < MIN_RUNNING,
  );
  if (field.kind !== 'text') return removeDuplicates(found.filter((candidate) => candidate.score >= 0.4));
  const [best] = mergeCandidates(found);
  return best
    ? [...splitInlineItems(best), ...readBulletsBelow(best, context)]
    : readBulletsUnderLabel(field, context);
}

function removeDuplicates(candidates: Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter((candidate) => {
    const key = squash(String(candidate.value)) || String(candidate.value);
    return !seen.has(key) && seen.add(key);
  });
}

function splitInlineItems(candidate: Candidate): Candidate[] {
  const [span] = candidate.spans;
  if (!span) return [];
  const parts = span.text
    .replace(BULLET, '')
    .split(/(?<!\s)\s*[,;•|]\s*|(?<!\s)\s+(?:and|und|et|en|i)\s+(?=\S+$)/u);
  const items = parts.filter((item) => /[\p{L}\p{N}]/u.test(item));
  return items.map((item) => ({ ...candidate, value: item.trim(), spans: [{ ...span, text: item.trim() }] }));
}

const BULLET = /^\s*(?:[-–•·●*▪◦]|\d{1,2}[.)])\s+/;

function readBulletsBelow(candidate: Candidate, context: Context): Candidate[] {
  const [span] = candidate.spans;
  const page = context.pages.find((layout) => layout.index === span?.page);
  const start = page?.lines.findIndex((line) =>
    line.segments.some((segment) => span && segment.text.includes(span.text) && BULLET.test(segment.text)),
  );
  if (!page || start === undefined || start < 0) return [];
  return readBulletRun(page.lines.slice(start + 1), candidate.score);
}

function readBulletsUnderLabel(field: Field, context: Context): Candidate[] {
  for (const phrase of field.phrases) {
    for (const hit of context.labels.find(phrase, new Set())) {
      if (hit.score < 0.7) continue;
      const run = readBulletRun(hit.segment.page.lines.slice(hit.segment.line + 1), hit.score * 0.8);
      if (run.length > 0) return run;
    }
  }
  return [];
}

function readBulletRun(lines: Context['pages'][number]['lines'], score: number): Candidate[] {
  const out: Candidate[] = [];
  for (const line of lines) {
    const segment = line.segments.find((item) => BULLET.test(item.text)) ?? line.segments[0];
    if (!segment || !BULLET.test(segment.text)) break;
    const start = BULLET.exec(segment.text)![0].length;
    const text = segment.text.slice(start).trim();
    out.push(toCandidate(segment, { value: text, text, start, end: start + text.length, quality: 1 }, score));
  }
  return out;
}
