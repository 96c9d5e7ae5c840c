import { toPointer } from '#src/extraction/evidence.ts';
import { isRecord } from '#src/json-schema/schema.ts';
import { alignRows, type StepBudget } from './align-rows.ts';
import { addToBins, type Bins } from './calibration.ts';
import { isAbsent, normalizeValue } from './normalize-value.ts';
import type { FieldCounts } from './scores.ts';

/** Maximum number of fields of a file. The values of further ones are counted under `OTHER_FIELDS`. */
const MAX_FIELDS = 500;
const OTHER_FIELDS = '(other fields)';
const MAX_FIELD_CHARACTERS = 300;
const MAX_DIFFERENCES = 100;
const MAX_SHOWN_CHARACTERS = 300;
/** Maximum depth of the members of a result that are judged one by one. */
const MAX_DEPTH = 32;
/** Steps of exact alignments of the rows of a file, which take about a quarter of a second. */
const ALIGNMENT_STEPS = 50_000_000;

/** Counts of a field with the confidences of its values. */
export interface FieldOutcome extends FieldCounts {
  bins: Bins;
}

/** A value that is not as expected. Long values are shortened. */
export interface Difference {
  /** Name of the field, such as `items[].price`. */
  field: string;
  kind: 'wrong' | 'missing' | 'invented';
  expected: string | number | boolean | null;
  actual: string | number | boolean | null;
  confidence: number | null;
}

export interface ExtractionOutcome {
  fields: Record<string, FieldOutcome>;
  /** The first 100 values that are not as expected. */
  differences: Difference[];
}

type Path = readonly (string | number)[];

/**
 * Compares the values of an extraction with the expected ones, by field. `confidences` has the confidences of the
 * values by JSON pointer into `actual`. Members that the truth does not have are not judged. Null in the truth means
 * that the document has no such value. Rows of lists are aligned, and single values of lists are compared as sets.
 */
export function judgeFields(
  expected: unknown,
  actual: unknown,
  confidences: ReadonlyMap<string, number>,
): ExtractionOutcome {
  const judge = new Judge(confidences);
  judge.compare(expected, actual, '', []);
  return { fields: Object.fromEntries(judge.fields), differences: judge.differences };
}

class Judge {
  readonly fields = new Map<string, FieldOutcome>();
  readonly differences: Difference[] = [];
  readonly #budget: StepBudget = { left: ALIGNMENT_STEPS };
  readonly #confidences: ReadonlyMap<string, number>;

  constructor(confidences: ReadonlyMap<string, number>) {
    this.#confidences = confidences;
  }

  compare(expected: unknown, actual: unknown, field: string, path: Path): void {
    if (expected === undefined) return;
    if (Array.isArray(expected)) this.#compareLists(expected, actual, field, path);
    else if (isRecord(expected)) this.#compareRecords(expected, actual, field, path);
    else this.#compareScalars(expected, actual, field, path);
  }

  #compareRecords(expected: Record<string, unknown>, actual: unknown, field: string, path: Path): void {
    const members = isRecord(actual) ? actual : {};
    for (const [name, inner] of Object.entries(expected)) {
      const own = Object.hasOwn(members, name) ? members[name] : undefined;
      this.compare(inner, own, joinField(field, name), [...path, name]);
    }
    if (!isRecord(actual) && !isAbsent(actual)) this.#addInvented(actual, field, path);
  }

  #compareLists(expected: readonly unknown[], actual: unknown, field: string, path: Path): void {
    const items = Array.isArray(actual) ? actual : [];
    const place = `${field}[]`;
    if (expected.some(isRecord)) this.#compareRows(expected, items, place, path);
    else if (expected.length === 0) {
      for (const [index, item] of items.entries()) this.#addInvented(item, place, [...path, index]);
    } else this.#compareSets(expected, items, place, path);
    if (!Array.isArray(actual) && !isAbsent(actual)) this.#addInvented(actual, field, path);
  }

  #compareRows(expected: readonly unknown[], items: readonly unknown[], field: string, path: Path): void {
    const labelled = new Set(expected.flatMap((row) => (isRecord(row) ? Object.keys(row) : [])));
    for (const pair of alignRows(expected, items, this.#budget)) {
      const place = [...path, pair.actual ?? items.length];
      const item = pair.actual === null ? undefined : items[pair.actual];
      if (pair.expected !== null) this.compare(expected[pair.expected], item, field, place);
      else if (!isRecord(item)) this.#addInvented(item, field, place);
      else {
        for (const name of labelled) {
          if (Object.hasOwn(item, name))
            this.#addInvented(item[name], joinField(field, name), [...place, name]);
        }
      }
    }
  }

  /** Compares lists of single values. Their order does not matter, and repeated values count. */
  #compareSets(expected: readonly unknown[], items: readonly unknown[], field: string, path: Path): void {
    const left = new Map<string, number>();
    for (const value of expected) {
      if (isAbsent(value)) continue;
      const key = normalizeValue(value);
      left.set(key, (left.get(key) ?? 0) + 1);
    }
    for (const [index, item] of items.entries()) {
      if (isAbsent(item)) continue;
      const key = normalizeValue(item);
      const count = left.get(key) ?? 0;
      if (count > 0) {
        left.set(key, count - 1);
        this.#add('correct', field, undefined, item, [...path, index]);
      } else this.#addInvented(item, field, [...path, index]);
    }
    for (const value of expected) {
      if (isAbsent(value)) continue;
      const key = normalizeValue(value);
      const count = left.get(key) ?? 0;
      if (count === 0) continue;
      left.set(key, count - 1);
      this.#add('missing', field, value, undefined, path);
    }
  }

  #compareScalars(expected: unknown, actual: unknown, field: string, path: Path): void {
    if (isAbsent(expected)) this.#addInvented(actual, field, path);
    else if (isAbsent(actual)) this.#add('missing', field, expected, undefined, path);
    else if (typeof actual === 'object') {
      this.#add('missing', field, expected, undefined, path);
      this.#addInvented(actual, field, path);
    } else {
      const kind = normalizeValue(expected) === normalizeValue(actual) ? 'correct' : 'wrong';
      this.#add(kind, field, expected, actual, path);
    }
  }

  /** Counts all values below a place at which none is expected. A field without any value is counted too. */
  #addInvented(actual: unknown, field: string, path: Path): void {
    if (isAbsent(actual)) this.#getField(field);
    else if (Array.isArray(actual) && path.length < MAX_DEPTH) {
      for (const [index, item] of actual.entries()) this.#addInvented(item, `${field}[]`, [...path, index]);
    } else if (isRecord(actual) && path.length < MAX_DEPTH) {
      for (const [name, inner] of Object.entries(actual))
        this.#addInvented(inner, joinField(field, name), [...path, name]);
    } else this.#add('invented', field, null, actual, path);
  }

  #getField(field: string): FieldOutcome {
    const name = field.slice(0, MAX_FIELD_CHARACTERS);
    const key = this.fields.has(name) || this.fields.size < MAX_FIELDS ? name : OTHER_FIELDS;
    let outcome = this.fields.get(key);
    if (!outcome) {
      outcome = { correct: 0, wrong: 0, missing: 0, invented: 0, bins: {} };
      this.fields.set(key, outcome);
    }
    return outcome;
  }

  #add(kind: keyof FieldCounts, field: string, expected: unknown, actual: unknown, path: Path): void {
    const outcome = this.#getField(field);
    outcome[kind] += 1;
    const confidence = kind === 'missing' ? undefined : this.#confidences.get(toPointer(path));
    if (confidence !== undefined) addToBins(outcome.bins, confidence, kind === 'correct');
    if (kind === 'correct' || this.differences.length >= MAX_DIFFERENCES) return;
    this.differences.push({
      field: field.slice(0, MAX_FIELD_CHARACTERS),
      kind,
      expected: shorten(expected),
      actual: shorten(actual),
      confidence: confidence ?? null,
    });
  }
}

const joinField = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`);

/** Returns a value as it is shown. Lists and objects become JSON. */
function shorten(value: unknown): Difference['expected'] {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** Adds the counts of all fields of a file. */
export function sumFields(fields: Record<string, FieldCounts>): FieldCounts {
  const sum = { correct: 0, wrong: 0, missing: 0, invented: 0 };
  for (const counts of Object.values(fields)) {
    for (const name of Object.keys(sum) as (keyof FieldCounts)[]) sum[name] += counts[name];
  }
  return sum;
}
