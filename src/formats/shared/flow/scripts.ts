import type { Run } from './runs.ts';

/** Matches letters that form an ordinal or an abbreviation when they are raised, as in "1st" and "Mme". */
const WORD_ENDING = /^(?:\p{L}{2,}|[aeo])$/u;
/** Matches content that stays clear without brackets, such as "2", "-1", "2+", "0.5" and "n". */
const SINGLE = /^(?:[+\-−±]?[\p{L}\p{N}.,]+[+\-−±*′]?|[^\p{L}\p{N}\s]{1,2})$/u;

/**
 * Returns a subscript or superscript as plain text. `before` is the end of the text in front of it.
 *
 * A superscript gets a caret, as in "10^6" and "x^(n+1)", because "106" would be another number. Raised
 * letters of ordinals stay as they are, as in "1st". A number below a letter stays as it is, as in the formula of water.
 * Other subscripts get an underscore, as in "x_max". Unicode has raised digits, but search indexes fold them
 * to ordinary digits.
 */
export function writePlainScript(before: string, content: string, script: 'sub' | 'super'): string {
  const core = content.trim();
  if (core === '' || !/\S$/.test(before)) return content;
  const isAfterDigit = /\p{N}$/u.test(before);
  // Marks of notes, such as "[1]", are already apart from the text.
  if (script === 'super' && /^(?:[™®©ªº]|[[(][^\])]*[\])])$/u.test(core)) return content;
  if (script === 'super' && WORD_ENDING.test(core) && (isAfterDigit || core.length > 1)) return content;
  if (script === 'sub' && /^\p{N}+$/u.test(core) && /[\p{L})\]]$/u.test(before)) return content;
  const mark = script === 'super' ? '^' : '_';
  const start = content.indexOf(core);
  const marked = SINGLE.test(core) ? mark + core : `${mark}(${core})`;
  return content.slice(0, start) + marked + content.slice(start + core.length);
}

/** Returns the plain text of runs, with marks for subscripts and superscripts. */
export function writePlainText(runs: readonly Run[]): string {
  const parts: string[] = [];
  let before = '';
  for (const { text, script } of runs) {
    const part = script === undefined ? text : writePlainScript(before, text, script);
    parts.push(part);
    if (part !== '') before = part.slice(-4);
  }
  return parts.join('');
}
