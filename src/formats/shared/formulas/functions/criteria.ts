import { compare, isError, type Scalar, toNumber } from '#src/formats/shared/formulas/values.ts';

const CONDITION = /^(<>|<=|>=|=|<|>)?([\s\S]*)$/;

/** Function that counts evaluation steps. Throws Uncomputable if the workbook takes too many steps. */
export type Spend = (steps: number) => void;

const COMPARISONS_PER_STEP = 64;

/**
 * Returns whether a text matches a wildcard pattern. `?` stands for one character, `*` for any number of
 * characters, and `~` makes the following wildcard literal. The work may exceed the length of the text many
 * times, so each comparison counts as a step.
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
    if (++comparisons % COMPARISONS_PER_STEP === 0) spend(1);
    const wanted = parts[part];
    if (wanted === 2) [star, mark, part] = [part, at, part + 1];
    else if (wanted === 1 || wanted === text[at]) [at, part] = [at + 1, part + 1];
    else if (star >= 0) [part, mark, at] = [star + 1, mark + 1, mark + 1];
    else return false;
  }
  while (parts[part] === 2) part++;
  return part === parts.length;
}

/**
 * Returns a test for a criterion of functions such as COUNTIF. Examples of criteria are ">=5", "<>x" and
 * "a*".
 */
export function parseCriterion(wanted: Scalar, spend: Spend): (value: Scalar) => boolean {
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
