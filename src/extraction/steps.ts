import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';

/** Maximum schema checks per answer. Each takes about a microsecond (measured). */
export const MOST_STEPS = 3_000_000;
/** Steps of a regular expression (one instruction at one character) that take as long as one schema check. */
const PATTERN_STEPS = 200;
/** Comparisons of two list items that take as long as one schema check. */
const COMPARISONS = 10;

/**
 * Counts the work of checking one answer against a schema. Within the limits of schema-rules.ts a schema and a document can
 * still multiply: 10,000 rows, each compared with 10,000 alternatives. The validation library has no limit of its own.
 */
export class Steps {
  #taken = 0;

  get taken(): number {
    return this.#taken;
  }

  begin(): void {
    this.#taken = 0;
  }

  /** Throws BadRequest once the checks have taken more than they may. */
  add(steps: number): void {
    this.#taken += steps;
    if (this.#taken <= MOST_STEPS) return;
    throw new BadRequest(
      'schema_validation: checking what the document says against data_schema takes too long. ' +
        'Use fewer alternatives (anyOf, oneOf), patterns and uniqueItems.',
    );
  }

  addPattern(steps: number): void {
    this.add(steps / PATTERN_STEPS);
  }

  /** The validation library compares all pairs of items for `uniqueItems`. */
  addComparisons(value: unknown): void {
    if (Array.isArray(value)) this.add(value.length ** 2 / COMPARISONS);
    if (!Array.isArray(value) && !isRecord(value)) return;
    for (const inner of Object.values(value)) this.addComparisons(inner);
  }
}

/** Returns whether a list in the value has duplicate items. Takes linear time. */
export function hasDuplicates(value: unknown): boolean {
  if (Array.isArray(value) && new Set(value.map(canonicalJson)).size < value.length) return true;
  if (!Array.isArray(value) && !isRecord(value)) return false;
  return Object.values(value).some(hasDuplicates);
}

/** The current check. */
let counting: { steps: Steps; hasDuplicates: boolean } | undefined;

/** Calls `work`, which validates a value with schemas from `countVisits`. `work` must be synchronous. */
export function whileCounting<Result>(check: typeof counting, work: () => Result): Result {
  counting = check;
  try {
    return work();
  } finally {
    counting = undefined;
  }
}

class Counted {
  get $recursiveAnchor(): undefined {
    counting?.steps.add(1);
    return undefined;
  }
}

/** A schema with unique items. The library's pairwise comparison is only needed if there are duplicates. */
class CountedUnique extends Counted {
  get uniqueItems(): boolean {
    return counting?.hasDuplicates ?? true;
  }
}

/**
 * Makes a schema count each time that the validation library visits it. The library has no hook, but reads every keyword
 * that it knows of a schema that it visits. It finds this one, which means nothing in draft 2020-12, on the prototype: an
 * accessor of each schema's own would make the library twice as slow.
 */
export function countVisits({ $recursiveAnchor: _, uniqueItems, ...schema }: JsonSchema): JsonSchema {
  return Object.setPrototypeOf(schema, uniqueItems === true ? CountedUnique.prototype : Counted.prototype);
}
