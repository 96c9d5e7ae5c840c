import type { Draft } from './blocks.ts';
import type { Line } from './lines.ts';
import type { Vocabulary } from './vocabulary.ts';

const HYPHEN = /[-\u00ad\u2010]$/;
/** Matches a page number between hyphens. */
const HYPHENATED_NUMBER = /(?:^|\s)[-–]\s?\d+-$/;
const DIVIDED = /[\p{L}\p{N}][-\u00ad\u2010]$/u;
const LAST_WORD = /(?<![\p{L}-])(\p{L}+).$/u;
const FIRST_WORD = /^\p{L}[\p{L}\p{M}]*/u;
const MAX_WORD_LENGTH = 64;
/** Conjunctions after the first part of a compound that leaves out its second part, as in "pre- and postwar". */
const CONJUNCTION = /^(?:and|or|und|oder|bzw|bis|to|et|ou|y|o|e|en|of)(?![\p{L}-])/iu;
/** Prefixes that keep their hyphen. */
const KEPT_PREFIXES = new Set(['self', 'well', 'quasi', 'ill']);
/** Words that form closed compounds, such as "something" and "therefore". */
const CLOSED =
  /^(?:some|every|there|where|here|them|your|under|over|inter|after|back|fore|with|mean|never|further|straight)$/;
/** Endings that are also words. */
const SUFFIX = /^(?:able|ably|less|like|wise|ward|wards|ship|hood|ness|ment|ments|ally)$/;
const MIN_COMPOUND_PART = 4;

/** Joins lines into one text. Hyphens at line breaks are removed, and other line breaks become spaces. */
export function joinLines(lines: readonly Line[], vocabulary: Vocabulary): string {
  const parts: string[] = [];
  for (const line of lines) {
    const before = parts.at(-1);
    if (before !== undefined) parts[parts.length - 1] = endLine(before, line.text, vocabulary);
    parts.push(line.text);
  }
  return parts.join('');
}

/** Returns a line with what stands between it and the next line, which is a space or nothing. */
function endLine(line: string, next: string, vocabulary: Vocabulary): string {
  const ending = line.slice(-MAX_WORD_LENGTH);
  if (HYPHEN.test(ending)) {
    const divided = joinDividedWord(ending, next, vocabulary);
    if (divided !== undefined) return line.slice(0, line.length - ending.length) + divided;
  }
  const isCjk =
    /[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef、。]$/.test(ending) &&
    /^[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]/.test(next);
  return isCjk ? line : `${line} `;
}

/**
 * Returns the end of a text with or without its hyphen, so that the next line can be appended directly. Returns
 * `undefined` if a space belongs between them.
 */
function joinDividedWord(ending: string, next: string, vocabulary: Vocabulary): string | undefined {
  if (CONJUNCTION.test(next) || HYPHENATED_NUMBER.test(ending)) return undefined;
  const tail = LAST_WORD.exec(ending)?.[1];
  const head = FIRST_WORD.exec(next.slice(0, MAX_WORD_LENGTH))?.[0];
  if (tail === undefined || head === undefined)
    return DIVIDED.test(ending) && /^[\p{L}\p{N}]/u.test(next) ? ending : undefined;
  const isCapital = /^\p{Lu}/u.test(head);
  return keepsHyphen(tail.toLowerCase(), head.toLowerCase(), isCapital, vocabulary)
    ? ending
    : ending.slice(0, -1);
}

/**
 * Returns whether the two parts of a divided word form a compound with a hyphen. `isCapital` tells whether the
 * second part begins with a capital letter.
 */
function keepsHyphen(tail: string, head: string, isCapital: boolean, vocabulary: Vocabulary): boolean {
  if (vocabulary.has(`${tail}-${head}`)) return true;
  if (vocabulary.has(tail + head)) return false;
  if (isCapital) return true;
  if (KEPT_PREFIXES.has(tail)) return true;
  const isLong = tail.length >= MIN_COMPOUND_PART && head.length >= MIN_COMPOUND_PART;
  if (!isLong || CLOSED.test(tail) || SUFFIX.test(head)) return false;
  return vocabulary.has(tail) && vocabulary.has(head);
}

/**
 * Completes words that the end of a column or a figure divides. The rest of the word moves to the paragraph
 * where it begins.
 */
export function joinDividedParagraphs(drafts: Draft[], vocabulary: Vocabulary): void {
  let ending: Draft | undefined;
  for (const draft of drafts) {
    if (draft.type !== 'paragraph') {
      if (draft.type === 'heading' || draft.type === 'list' || draft.type === 'code') ending = undefined;
      continue;
    }
    if (ending) moveRestOfWord(ending, draft, vocabulary);
    ending = draft;
  }
}

function moveRestOfWord(ending: Draft, starting: Draft, vocabulary: Vocabulary): void {
  const last = ending.text.slice(-MAX_WORD_LENGTH);
  if (!DIVIDED.test(last) || !DIVIDED.test(ending.markdown.slice(-MAX_WORD_LENGTH))) return;
  const rest = /^\p{Ll}\S*/u.exec(starting.text.slice(0, MAX_WORD_LENGTH))?.[0];
  if (rest === undefined || rest.length === starting.text.length || !starting.markdown.startsWith(rest))
    return;
  const joined = joinDividedWord(last, rest, vocabulary);
  if (joined === undefined) return;
  const cut = joined.length < last.length ? -1 : undefined;
  ending.text = ending.text.slice(0, cut) + rest;
  ending.markdown = ending.markdown.slice(0, cut) + rest;
  starting.text = starting.text.slice(rest.length).trimStart();
  starting.markdown = starting.markdown.slice(rest.length).trimStart();
}
