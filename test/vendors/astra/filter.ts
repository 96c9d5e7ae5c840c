import { Refused } from './refused.ts';

// Evaluates the filter language of Astra DB: equality matches a value or list element, comparison matches
// single numbers, and types never mix.

export type Document = Record<string, unknown>;
export interface Indexing {
  allow?: string[];
  deny?: string[];
}

const MOST_COMPARISONS = 64;
const MOST_VALUES = 100;

/** Compiles a filter. Throws if the vendor would reject it. */
export function compileFilter(filter: Document, indexing: Indexing = {}): (document: Document) => boolean {
  let comparisons = 0;

  function all(part: Document): (document: Document) => boolean {
    const holds = Object.entries(part).map(([name, value]) => {
      if (name === '$and' || name === '$or') {
        if (!Array.isArray(value)) throw refused('FILTER_INVALID_EXPRESSION', `${name} needs an array`);
        const parts = (value as Document[]).map(all);
        const how = name === '$and' ? 'every' : 'some';
        return (document: Document) => parts[how]((each) => each(document));
      }
      if (name.startsWith('$') || name === '') {
        throw refused(
          'FILTER_INVALID_EXPRESSION',
          `filter expression path ('${name}') cannot start with '$'`,
        );
      }
      const path = parsePath(name);
      if (!isIndexed(name, indexing))
        throw refused('FILTER_PATH_UNINDEXED', `the path ${name} is not indexed`);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      const operations = Object.entries(isObject ? (value as Document) : { $eq: value });
      comparisons += operations.length;
      const tests = operations.map(([operator, operand]) => comparison(operator, operand));
      return (document: Document) => tests.every((test) => test(valueAt(document, path)));
    });
    return (document) => holds.every((each) => each(document));
  }

  const evaluate = all(filter);
  if (comparisons > MOST_COMPARISONS) {
    throw refused(
      'FILTER_FIELDS_LIMIT_VIOLATION',
      `filter has ${comparisons} fields, ${MOST_COMPARISONS} may be`,
    );
  }
  return evaluate;
}

/** Splits a path into steps. `&` escapes dots and itself. */
export function parsePath(name: string): string[] {
  const steps: string[] = [];
  let step = '';
  for (let i = 0; i < name.length; i++) {
    if (name[i] === '.') {
      if (step === '') throw refused('FILTER_INVALID_EXPRESSION', 'the path has an empty segment');
      steps.push(step);
      step = '';
      continue;
    }
    if (name[i] === '&') {
      i++;
      if (name[i] !== '&' && name[i] !== '.') {
        throw refused('FILTER_INVALID_EXPRESSION', `'&' must be followed by '&' or '.': ${name}`);
      }
    }
    step += name[i];
  }
  return [...steps, step];
}

export function isIndexed(path: string, { allow, deny }: Indexing): boolean {
  const covers = (each: string) => each === '*' || each === path || path.startsWith(`${each}.`);
  if (allow) return allow.some(covers);
  return !(deny ?? []).some(covers);
}

function valueAt(document: Document, path: string[]): unknown {
  let at: unknown = document;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Document)[step];
  }
  return at;
}

function comparison(operator: string, operand: unknown): (value: unknown) => boolean {
  switch (operator) {
    case '$eq':
      return isAmong([operand]);
    case '$in':
      if (!Array.isArray(operand)) throw refused('FILTER_INVALID_EXPRESSION', '$in needs an array');
      if (operand.length > MOST_VALUES) {
        throw refused('FILTER_INVALID_EXPRESSION', `$in takes ${MOST_VALUES} values, not ${operand.length}`);
      }
      return isAmong(operand);
    case '$gte':
    case '$lte': {
      if (typeof operand !== 'number') {
        throw refused('FILTER_INVALID_EXPRESSION', `${operator} needs a number or a date`);
      }
      const isLeast = operator === '$gte';
      return (value) => typeof value === 'number' && (isLeast ? value >= operand : value <= operand);
    }
    default:
      throw refused('FILTER_UNSUPPORTED_OPERATOR', `Unsupported filter operator: ${operator}`);
  }
}

/** List elements match at the path of their list. */
const isAmong = (operands: unknown[]) => (value: unknown) =>
  value !== undefined && [value].flat().some((each) => operands.includes(each));

const refused = (code: string, message: string) => new Refused(code, message);
