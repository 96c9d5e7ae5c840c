import { median } from '../geometry.ts';
import type { Line } from './lines.ts';
import { joinWords } from './lines.ts';
import type { Run } from './runs.ts';
import type { TextWord } from './words.ts';

/** Part of a word whose letters are smaller and raised or lowered. */
export interface Script {
  from: number;
  to: number;
  kind: 'sup' | 'sub';
}

/** Letters of a word that have the same size and baseline, from `at` units of the word on. */
export interface LetterGroup {
  at: number;
  size: number;
  base: number | undefined;
}

const MAX_SIZE = 0.85;
const MIN_RAISE = 0.15;
const MIN_DROP = 0.08;
const MAX_SHIFT = 0.8;
const MAX_LENGTH = 8;
const MARK = /^[\p{L}\p{N}+\-−–*†‡§¶,()]+$/u;
/** Endings of ordinal numbers and marks of trade are part of the word. */
const PART_OF_WORD = /^(?:st|nd|rd|th|er|re|e|o|a|TM|SM|MD)$/i;
// Code points that no text contains. They become tags after the text is escaped.
const SIGNS = { sup: ['\ufdd0', '\ufdd1'], sub: ['\ufdd2', '\ufdd3'] } as const;
const FRACTION_SLASH = '\u2044';
const SIGN = /[\ufdd0-\ufdd3]/g;
const TAGS = ['<sup>', '</sup>', '<sub>', '</sub>'];

export const toLetterGroup = (at: number, { size, base }: Run): LetterGroup => ({ at, size, base });

/** Returns whether letters are raised or lowered against letters of the main size, or `undefined` if neither. */
function compareToMain(
  group: Pick<TextWord, 'size' | 'base'>,
  main: Pick<TextWord, 'size' | 'base'>,
): Script['kind'] | undefined {
  if (group.base === undefined || main.base === undefined || group.size > MAX_SIZE * main.size)
    return undefined;
  const raise = (main.base - group.base) / main.size;
  if (Math.abs(raise) > MAX_SHIFT) return undefined;
  return raise > MIN_RAISE ? 'sup' : raise < -MIN_DROP ? 'sub' : undefined;
}

const isMark = (text: string) => text.length <= MAX_LENGTH && MARK.test(text) && !PART_OF_WORD.test(text);

/**
 * Stores in a word which of its letters are superscripts and subscripts, and the baseline of the others. `groups` is
 * empty if all letters have the run `run`.
 */
export function addScripts(word: TextWord, run: Run, groups: readonly LetterGroup[]): void {
  if (word.turns !== 0 || word.hidden || word.math) return;
  let main: Omit<LetterGroup, 'at'> = groups[0] ?? run;
  for (const group of groups) if (group.size > main.size) main = group;
  if (main.base !== undefined) word.base = main.base;
  if (groups.length === 0) return;
  const scripts: Script[] = [];
  for (const [index, group] of groups.entries()) {
    const kind = compareToMain(group, main);
    const to = groups[index + 1]?.at ?? word.text.length;
    const isFraction = word.text[to] === FRACTION_SLASH;
    if (kind && !isFraction && isMark(word.text.slice(group.at, to)))
      scripts.push({ from: group.at, to, kind });
  }
  if (scripts.length > 0) word.scripts = scripts;
}

/** Returns the text of a line in which signs enclose superscripts and subscripts. */
export function signScripts(line: Line): string {
  const { words, size } = line;
  const hasScript = words.some((word) => word.scripts || word.size < MAX_SIZE * size);
  if (!hasScript || line.text.search(SIGN) >= 0) return line.text;
  const main = words.filter((word) => word.base !== undefined && word.size > 0.95 * size);
  if (main.length === 0) return line.text;
  const base = median(main.map((word) => word.base!));
  const signed = words.map((word, at) =>
    words[at + 1]?.text[0] === FRACTION_SLASH ? word : { ...word, text: signWord(word, { size, base }) },
  );
  return joinWords(signed);
}

/** Returns the raised letters at the start of a line, or `undefined` if there are none. */
export function readLeadingScript(line: Line): string | undefined {
  const [first, next] = line.words;
  const script = first?.scripts?.[0];
  if (script?.from === 0 && script.kind === 'sup') return first!.text.slice(0, script.to);
  if (!first || !next || compareToMain(first, next) !== 'sup' || !isMark(first.text)) return undefined;
  return first.text;
}

function signWord(word: TextWord, line: Omit<LetterGroup, 'at'>): string {
  const kind = isMark(word.text) ? compareToMain({ size: word.size, base: word.base }, line) : undefined;
  const scripts = kind ? [{ from: 0, to: word.text.length, kind }] : (word.scripts ?? []);
  let text = '';
  let from = 0;
  for (const script of scripts) {
    const [open, close] = SIGNS[script.kind];
    text += word.text.slice(from, script.from) + open + word.text.slice(script.from, script.to) + close;
    from = script.to;
  }
  return text + word.text.slice(from);
}

/** Replaces the signs around superscripts and subscripts by tags. */
export const signsToTags = (markdown: string): string =>
  markdown.replace(SIGN, (sign) => TAGS[sign.charCodeAt(0) - 0xfdd0]!);
