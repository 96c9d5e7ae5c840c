import { CellError, isError, type Scalar, toNumber, toText } from '#src/formats/shared/formulas/values.ts';
import { ErrorResult, type FormulaFunction } from './call.ts';
import { matchesWildcards, type Spend } from './criteria.ts';
import { mapEachCell } from './numbers.ts';

const VALUE_ERROR = new CellError('#VALUE!');

function requireText(value: Scalar | undefined): string {
  const found = toText(value ?? null);
  if (isError(found)) throw new ErrorResult(found);
  return found;
}

function requireInteger(value: Scalar | undefined, otherwise: number): number {
  const found = value === undefined ? otherwise : toNumber(value);
  if (isError(found)) throw new ErrorResult(found);
  return Math.trunc(found);
}

/**
 * Returns the 1-based position of the first match of a wildcard pattern, starting at `from`. Returns 0 if
 * there is no match.
 */
function findPattern(pattern: string, within: string, from: number, spend: Spend): number {
  if (!/[*?~]/.test(pattern)) return within.indexOf(pattern, from - 1) + 1;
  const open = pattern.endsWith('*') ? pattern : `${pattern}*`;
  for (let at = from - 1; at < within.length; at++)
    if (matchesWildcards(within.slice(at), open, spend)) return at + 1;
  return 0;
}

function toPosition(position: number): Scalar {
  return position > 0 ? position : VALUE_ERROR;
}

function substitute(source: string, old: string, fresh: string, which: number | undefined): Scalar {
  if (old === '') return source;
  const parts = source.split(old);
  if (parts.length * fresh.length + source.length > 1e6) return VALUE_ERROR;
  if (which === undefined) return parts.join(fresh);
  if (which < 1) return VALUE_ERROR;
  if (which >= parts.length) return source;
  return parts.slice(0, which).join(old) + fresh + parts.slice(which).join(old);
}

export const TEXTS: Record<string, FormulaFunction> = {
  LEN: mapEachCell(([value]) => requireText(value).length),
  LEFT: mapEachCell(([value, size]) => {
    const length = requireInteger(size, 1);
    return length < 0 ? VALUE_ERROR : requireText(value).slice(0, length);
  }),
  RIGHT: mapEachCell(([value, size]) => {
    const [whole, length] = [requireText(value), requireInteger(size, 1)];
    return length < 0 ? VALUE_ERROR : whole.slice(Math.max(0, whole.length - length));
  }),
  MID: mapEachCell(([value, from, size]) => {
    const [start, length] = [requireInteger(from, 1), requireInteger(size, 0)];
    return start < 1 || length < 0 ? VALUE_ERROR : requireText(value).slice(start - 1, start - 1 + length);
  }),
  UPPER: mapEachCell(([value]) => requireText(value).toUpperCase()),
  LOWER: mapEachCell(([value]) => requireText(value).toLowerCase()),
  PROPER: mapEachCell(([value]) =>
    requireText(value)
      .toLowerCase()
      .replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  TRIM: mapEachCell(([value]) => requireText(value).split(' ').filter(Boolean).join(' ')),
  CLEAN: mapEachCell(([value]) => requireText(value).replace(/\p{Cc}/gu, '')),
  EXACT: mapEachCell(([a, b]) => requireText(a) === requireText(b)),
  FIND: mapEachCell(([part, within, from]) =>
    toPosition(requireText(within).indexOf(requireText(part), requireInteger(from, 1) - 1) + 1),
  ),
  SEARCH: mapEachCell(([part, within, from], sheets) => {
    const [pattern, whole] = [requireText(part).toLowerCase(), requireText(within).toLowerCase()];
    return toPosition(
      findPattern(pattern, whole, Math.max(1, requireInteger(from, 1)), (steps) => sheets.spend(steps)),
    );
  }),
  SUBSTITUTE: mapEachCell(([source, old, fresh, which]) =>
    substitute(
      requireText(source),
      requireText(old),
      requireText(fresh),
      which === undefined ? undefined : requireInteger(which, 1),
    ),
  ),
  REPLACE: mapEachCell(([source, from, size, fresh]) => {
    const [whole, start, length] = [requireText(source), requireInteger(from, 1), requireInteger(size, 0)];
    if (start < 1 || length < 0) return VALUE_ERROR;
    return whole.slice(0, start - 1) + requireText(fresh) + whole.slice(start - 1 + length);
  }),
  CHAR: mapEachCell(([code]) => {
    const number = requireInteger(code, 0);
    return number >= 1 && number <= 255
      ? new TextDecoder('windows-1252').decode(Uint8Array.of(number))
      : VALUE_ERROR;
  }),
  UNICHAR: mapEachCell(([code]) => {
    const number = requireInteger(code, 0);
    return number >= 1 && number <= 0x10ffff ? String.fromCodePoint(number) : VALUE_ERROR;
  }),
  UNICODE: mapEachCell(([value]) => requireText(value).codePointAt(0) ?? VALUE_ERROR),
  VALUE: mapEachCell(([value]) => {
    if (typeof value === 'number') return value;
    const written = requireText(value).trim();
    const isPercent = written.endsWith('%');
    const bare = written.replace(/^([+-]?)[$€£¥]/u, '$1').replace(/%$/, '');
    const number = toNumber(
      /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(bare) ? bare.replaceAll(',', '') : bare,
    );
    return isError(number) ? number : isPercent ? number / 100 : number;
  }),
};
