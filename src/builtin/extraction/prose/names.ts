import type { Found } from '#src/extraction/values/find-all.ts';
import { isLegalForm } from '../parties/legal-forms.ts';

/** Sequence of capitalised words that may be a name. */
export interface Name extends Found<string> {
  /** How much the name looks like the full name of a company, from 0 to 1. */
  legal: number;
  /** Word before the name, in lower case. */
  before: string;
}

/** Lower-case words that may join the parts of one name, in the supported languages. */
const JOINING_WORDS = new Set(
  'of the for de la le les du des del della di da do dos das von van der den al el bin ibn zu zur am'.split(
    ' ',
  ),
);
/**
 * Matches one token of a sentence. A name is built from consecutive tokens, so no part of the text is read
 * twice.
 */
const TOKEN = /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}'’.&–-]|\/(?=\p{Lu})){0,60}|&/gu;
/**
 * Matches a word that may begin a name: a capital among its first three characters or after a particle, such
 * as "Ab", "i-Xy", "2XY", "al-Ab" or "dell'Ab".
 */
const STARTS_NAME = /^(?:[^\p{Lu}]{0,2}\p{Lu}|(?:\p{Ll}{1,4}['’]|[ae]l-)\p{Lu}|&$)/u;
const CONTINUES_NAME = /^(?:[^\p{Lu}]{0,2}\p{Lu}|(?:\p{Ll}{1,4}['’]|[ae]l-)\p{Lu}|&$|\d{1,4}\.?$)/u;
const MAX_WORDS = 12;

const trimPunctuation = (token: string) => token.replace(/(?<![.'’–-])[.'’–-]+$/u, '');

/**
 * Finds the capitalised names of a sentence. A stop word at the beginning of a sentence is not part of a
 * name.
 */
export function findNames(text: string, isStopWord: (word: string) => boolean): Name[] {
  const tokens = [...text.matchAll(TOKEN)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  const out: Name[] = [];
  let index = 0;
  while (index < tokens.length) {
    const word = trimPunctuation(tokens[index]!.text);
    if (!STARTS_NAME.test(word) || isStopWord(word)) {
      index++;
      continue;
    }
    const last = findLegalEnd(tokens, index, findRunEnd(text, tokens, index));
    const isName = tokens.slice(index, last + 1).some((token) => !isLegalForm(trimPunctuation(token.text)));
    if (isName)
      out.push(buildName(text, tokens, hasArticle(text, tokens, index, last) ? index - 1 : index, last));
    index = last + 1;
  }
  return out;
}

/** Returns whether "The" before a company is part of its name, because no sentence begins with it. */
function hasArticle(text: string, tokens: Place[], from: number, last: number): boolean {
  const [before, article] = [tokens[from - 2], tokens[from - 1]];
  if (!before || article?.text !== 'The' || !/^\p{Ll}/u.test(before.text)) return false;
  const isJoined = text.slice(before.end, article.start) === ' ' && tokens[from]!.start - article.end === 1;
  return isJoined && tokens.slice(from, last + 1).some((token) => isLegalForm(trimPunctuation(token.text)));
}

interface Place {
  text: string;
  start: number;
  end: number;
}

function findRunEnd(text: string, tokens: Place[], from: number): number {
  let last = from;
  for (let next = from + 1; next < tokens.length && next - from < MAX_WORDS; next++) {
    const between = text.slice(tokens[last]!.end, tokens[next]!.start);
    const word = tokens[next]!.text;
    const joins = next - last === 1 ? /^[ ]$|^$/.test(between) : /^ \S{1,6}(?: \S{1,6})? $/.test(between);
    // A comma before a legal form or a suffix belongs to the name, as in "Ash, Inc." and "Al Lee, Jr.".
    if (next - last === 1 && /^,? ?$/.test(between) && endsName(word)) {
      last = next;
      continue;
    }
    // A full stop ends a name, unless it belongs to an initial or an abbreviation.
    if (
      /\.$/.test(tokens[last]!.text) &&
      !/^(?:(?:\p{Lu}\.)+|\p{Lu}\p{Ll}{0,2}\.|St\.|Mrs?\.)$/u.test(tokens[last]!.text)
    )
      break;
    if (joins && CONTINUES_NAME.test(word)) last = next;
    else if (!(joins && JOINING_WORDS.has(word) && next - last <= 2)) break;
  }
  return last;
}

/** Matches what may follow the name of a person after a comma. */
const SUFFIX = /^(?:Jr|Sr|II|III|IV|Esq|M\.D|Ph\.D)\.?$/;

const endsName = (word: string) =>
  (isLegalForm(trimPunctuation(word)) && /^\p{Lu}/u.test(word)) || SUFFIX.test(word);

/**
 * Returns the last token of a name whose legal form ends it. In "Ash Corporation Bonus Plan", the name ends
 * before "Bonus". In "Ash Company of Ohio", it goes on.
 */
function findLegalEnd(tokens: Place[], from: number, last: number): number {
  const isLegal = (token: Place) => isLegalForm(trimPunctuation(token.text));
  const end = tokens.slice(from + 1, last + 1).findLastIndex(isLegal) + from + 1;
  return end > from && end < last && !JOINING_WORDS.has(tokens[end + 1]!.text) ? end : last;
}

const ARTICLE = /^(?:the|a|an|der|die|das|dem|den|le|la|les|el|los|las|il|lo|gli|de|het|said)$/i;

/** Returns the word before a name, such as a preposition or verb. An article in between is skipped. */
function findWordBefore(tokens: Place[], from: number): string {
  const last = tokens[from - 1]?.text ?? '';
  return (ARTICLE.test(last) && from > 1 ? tokens[from - 2]!.text : last).toLowerCase();
}

function buildName(text: string, tokens: Place[], from: number, last: number): Name {
  const start = tokens[from]!.start;
  const inner = tokens.slice(from, last + 1).map((token) => trimPunctuation(token.text));
  const legal = inner.slice(1).some((word) => isLegalForm(word)) ? 1 : 0;
  const raw = tokens[last]!.text;
  const isShortened = /^(?:\p{Lu}?\p{Ll}+|INC|LTD|CORP|CO)\.$/u.test(raw) || /\p{L}\.\p{L}/u.test(raw);
  const keepsStop = (isLegalForm(trimPunctuation(raw)) && isShortened) || /^(?:\p{Lu}|[JS]r)\.$/u.test(raw);
  const end = keepsStop ? tokens[last]!.end : tokens[last]!.start + trimPunctuation(raw).length;
  const value = text.slice(start, end).replace(/[’']s$/u, '');
  const opens = from === 0 && last === 0;
  return {
    value,
    text: value,
    start,
    end: start + value.length,
    // A single capitalised word at the beginning of a sentence is weak evidence of a name.
    quality: opens ? 0.6 : 1,
    legal,
    before: findWordBefore(tokens, from),
  };
}
