import { CellError, isError, type Scalar, toNumber, toText } from '#src/formats/shared/formulas/values.ts';
import { ErrorResult, type FormulaFunction } from './call.ts';
import { matchesWildcards, type Spend } from './criteria.ts';
import { eachPlace } from './numbers.ts';

/** Parts of texts and where they stand. */

const VALUE_ERROR = new CellError('#VALUE!');

function text(value: Scalar | undefined): string {
  const found = toText(value ?? null);
  if (isError(found)) throw new ErrorResult(found);
  return found;
}

function count(value: Scalar | undefined, otherwise: number): number {
  const found = value === undefined ? otherwise : toNumber(value);
  if (isError(found)) throw new ErrorResult(found);
  return Math.trunc(found);
}

/** The 1-based place of the first part of `within` that has the pattern's form, from a place on. */
function placeOf(pattern: string, within: string, from: number, spend: Spend): number {
  if (!/[*?~]/.test(pattern)) return within.indexOf(pattern, from - 1) + 1;
  const open = pattern.endsWith('*') ? pattern : `${pattern}*`;
  for (let at = from - 1; at < within.length; at++)
    if (matchesWildcards(within.slice(at), open, spend)) return at + 1;
  return 0;
}

function found(place: number): Scalar {
  return place > 0 ? place : VALUE_ERROR;
}

function substituted(source: string, old: string, fresh: string, which: number | undefined): Scalar {
  if (old === '') return source;
  const parts = source.split(old);
  if (parts.length * fresh.length + source.length > 1e6) return VALUE_ERROR;
  if (which === undefined) return parts.join(fresh);
  if (which < 1) return VALUE_ERROR;
  if (which >= parts.length) return source;
  return parts.slice(0, which).join(old) + fresh + parts.slice(which).join(old);
}

export const TEXTS: Record<string, FormulaFunction> = {
  LEN: eachPlace(([value]) => text(value).length),
  LEFT: eachPlace(([value, size]) => {
    const length = count(size, 1);
    return length < 0 ? VALUE_ERROR : text(value).slice(0, length);
  }),
  RIGHT: eachPlace(([value, size]) => {
    const [whole, length] = [text(value), count(size, 1)];
    return length < 0 ? VALUE_ERROR : whole.slice(Math.max(0, whole.length - length));
  }),
  MID: eachPlace(([value, from, size]) => {
    const [start, length] = [count(from, 1), count(size, 0)];
    return start < 1 || length < 0 ? VALUE_ERROR : text(value).slice(start - 1, start - 1 + length);
  }),
  UPPER: eachPlace(([value]) => text(value).toUpperCase()),
  LOWER: eachPlace(([value]) => text(value).toLowerCase()),
  PROPER: eachPlace(([value]) =>
    text(value)
      .toLowerCase()
      .replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  TRIM: eachPlace(([value]) => text(value).split(' ').filter(Boolean).join(' ')),
  CLEAN: eachPlace(([value]) => text(value).replace(/\p{Cc}/gu, '')),
  EXACT: eachPlace(([a, b]) => text(a) === text(b)),
  FIND: eachPlace(([part, within, from]) => found(text(within).indexOf(text(part), count(from, 1) - 1) + 1)),
  SEARCH: eachPlace(([part, within, from], sheets) => {
    const [pattern, whole] = [text(part).toLowerCase(), text(within).toLowerCase()];
    return found(placeOf(pattern, whole, Math.max(1, count(from, 1)), (steps) => sheets.spend(steps)));
  }),
  SUBSTITUTE: eachPlace(([source, old, fresh, which]) =>
    substituted(text(source), text(old), text(fresh), which === undefined ? undefined : count(which, 1)),
  ),
  REPLACE: eachPlace(([source, from, size, fresh]) => {
    const [whole, start, length] = [text(source), count(from, 1), count(size, 0)];
    if (start < 1 || length < 0) return VALUE_ERROR;
    return whole.slice(0, start - 1) + text(fresh) + whole.slice(start - 1 + length);
  }),
  CHAR: eachPlace(([code]) => {
    const number = count(code, 0);
    return number >= 1 && number <= 255
      ? new TextDecoder('windows-1252').decode(Uint8Array.of(number))
      : VALUE_ERROR;
  }),
  UNICHAR: eachPlace(([code]) => {
    const number = count(code, 0);
    return number >= 1 && number <= 0x10ffff ? String.fromCodePoint(number) : VALUE_ERROR;
  }),
  UNICODE: eachPlace(([value]) => text(value).codePointAt(0) ?? VALUE_ERROR),
  VALUE: eachPlace(([value]) => {
    if (typeof value === 'number') return value;
    const written = text(value).trim();
    const isPercent = written.endsWith('%');
    const bare = written.replace(/^([+-]?)[$€£¥]/u, '$1').replace(/%$/, '');
    const number = toNumber(
      /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(bare) ? bare.replaceAll(',', '') : bare,
    );
    return isError(number) ? number : isPercent ? number / 100 : number;
  }),
};
