import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';

/** Schemas that may be compared with values while one answer is checked. Measured: about a microsecond each. */
export const MOST_STEPS = 3_000_000;
/** Steps of a regular expression (an instruction at a character) that take as long as one schema. */
const PATTERN_STEPS = 200;
/** Comparisons of two items of a list that take as long as one schema. */
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

  /** The validation library compares each item of a list of `uniqueItems` with each other one. */
  addComparisons(value: unknown): void {
    if (Array.isArray(value)) this.add(value.length ** 2 / COMPARISONS);
    if (!Array.isArray(value) && !isRecord(value)) return;
    for (const inner of Object.values(value)) this.addComparisons(inner);
  }
}

/** Whether some list in a value has an item twice. Takes linear time. */
export function hasDuplicates(value: unknown): boolean {
  if (Array.isArray(value) && new Set(value.map(canonicalJson)).size < value.length) return true;
  if (!Array.isArray(value) && !isRecord(value)) return false;
  return Object.values(value).some(hasDuplicates);
}

/** The check that is going on. */
let counting: { steps: Steps; hasDuplicates: boolean } | undefined;

/** Calls `work`, which checks a value by schemas that `countVisits` returned. `work` is over when it returns. */
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

/** A schema of lists without equal items. The library compares each item with each other one, so it only has to if some are equal. */
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
