import { compare, isError, type Scalar, toNumber } from '#src/formats/shared/formulas/values.ts';

const CONDITION = /^(<>|<=|>=|=|<|>)?([\s\S]*)$/;

/** Counts steps. Throws Uncomputable once there are too many for one workbook. */
export type Spend = (steps: number) => void;

const COMPARISONS_A_STEP = 64;

/**
 * Whether a text has a pattern's form: ? any sign, * any signs, ~ before either the sign itself. In linear space, but a
 * text with many partial matches is compared with the pattern again and again, so the comparisons are counted.
 */
export function matchesWildcards(text: string, pattern: string, spend: Spend): boolean {
  const parts: (string | 1 | 2)[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]!;
    if (sign === '~' && /[*?~]/.test(pattern[at + 1] ?? '')) parts.push(pattern[++at]!);
    else if (sign === '*') {
      if (parts[parts.length - 1] !== 2) parts.push(2);
    } else parts.push(sign === '?' ? 1 : sign);
  }
  let [at, part, star, mark] = [0, 0, -1, 0];
  let comparisons = 0;
  spend(1);
  while (at < text.length) {
    if (++comparisons % COMPARISONS_A_STEP === 0) spend(1);
    const wanted = parts[part];
    if (wanted === 2) [star, mark, part] = [part, at, part + 1];
    else if (wanted === 1 || wanted === text[at]) [at, part] = [at + 1, part + 1];
    else if (star >= 0) [part, mark, at] = [star + 1, mark + 1, mark + 1];
    else return false;
  }
  while (parts[part] === 2) part++;
  return part === parts.length;
}

/** The test that a criterion such as ">=5", "<>x" or "a*" stands for. */
export function criterion(wanted: Scalar, spend: Spend): (value: Scalar) => boolean {
  if (typeof wanted !== 'string') {
    return (value) =>
      isError(wanted) ? isError(value) : value !== null && compare(value, wanted ?? 0) === 0;
  }
  const [, operator = '=', operand = ''] = CONDITION.exec(wanted) ?? [];
  const number = operand.trim() === '' ? undefined : toNumber(operand);
  const isNot = operator === '<>';
  if (operator === '=' || isNot) {
    if (operand === '') return (value) => (value === null || (wanted === '' && value === '')) !== isNot;
    const pattern = operand.toLowerCase();
    return (value) => {
      const same =
        typeof number === 'number'
          ? typeof value === 'number'
            ? value === number
            : typeof value === 'string' && toNumber(value) === number
          : typeof value === 'boolean'
            ? String(value) === pattern
            : typeof value === 'string' && matchesWildcards(value.toLowerCase(), pattern, spend);
      return same !== isNot;
    };
  }
  const limit: Scalar = typeof number === 'number' ? number : operand;
  return (value) => {
    if (typeof value !== typeof limit) return false;
    const order = compare(value, limit);
    return operator === '<'
      ? order < 0
      : operator === '<='
        ? order <= 0
        : operator === '>'
          ? order > 0
          : order >= 0;
  };
}
