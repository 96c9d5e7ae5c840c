import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';

/** Maximum number of schema checks per answer. A check takes about a microsecond (measured). */
export const MAX_STEPS = 3_000_000;
/**
 * Steps of a regular expression that take as long as one schema check. A step is one instruction at one
 * character.
 */
const PATTERN_STEPS_PER_STEP = 200;
/** Comparisons of two list items that take as long as one schema check. */
const COMPARISONS_PER_STEP = 10;

/**
 * Counts the work of checking one answer against a schema. Even within the limits for schemas, a schema and a
 * document can multiply, for example 10,000 rows with 10,000 alternatives each. The validation library has no
 * limit of its own.
 */
export class StepCounter {
  #taken = 0;

  get taken(): number {
    return this.#taken;
  }

  reset(): void {
    this.#taken = 0;
  }

  /** Throws `BadRequest` if the checks exceed `MAX_STEPS`. */
  add(steps: number): void {
    this.#taken += steps;
    if (this.#taken <= MAX_STEPS) return;
    throw new BadRequest(
      'schema_validation: checking the extracted values against data_schema takes too long. ' +
        'Use fewer alternatives (anyOf, oneOf), patterns and uniqueItems.',
    );
  }

  addPattern(steps: number): void {
    this.add(steps / PATTERN_STEPS_PER_STEP);
  }

  /** Adds the comparisons for `uniqueItems`. The validation library compares all pairs of items. */
  addComparisons(value: unknown): void {
    if (Array.isArray(value)) this.add(value.length ** 2 / COMPARISONS_PER_STEP);
    if (!Array.isArray(value) && !isRecord(value)) return;
    for (const inner of Object.values(value)) this.addComparisons(inner);
  }
}

/** Returns whether a list in the value has duplicate items. Runs in linear time. */
export function hasDuplicates(value: unknown): boolean {
  if (Array.isArray(value) && new Set(value.map(canonicalJson)).size < value.length) return true;
  if (!Array.isArray(value) && !isRecord(value)) return false;
  return Object.values(value).some(hasDuplicates);
}

let currentCheck: { steps: StepCounter; hasDuplicates: boolean } | undefined;

/** Calls `work`, which validates a value against schemas from `countVisits`. `work` must be synchronous. */
export function runCounted<Result>(check: typeof currentCheck, work: () => Result): Result {
  currentCheck = check;
  try {
    return work();
  } finally {
    currentCheck = undefined;
  }
}

class CountedSchema {
  get $recursiveAnchor(): undefined {
    currentCheck?.steps.add(1);
    return undefined;
  }
}

/** Schema with unique items. The library's pairwise comparison is only needed if there are duplicates. */
class CountedUniqueSchema extends CountedSchema {
  get uniqueItems(): boolean {
    return currentCheck?.hasDuplicates ?? true;
  }
}

/**
 * Makes a schema count each visit by the validation library. The library has no hook, but reads every keyword
 * that it knows of each schema it visits. `$recursiveAnchor` means nothing in draft 2020-12, so it serves as
 * the hook. It is defined on the prototype, because an accessor on each schema would make the library twice
 * as slow.
 */
export function countVisits({ $recursiveAnchor: _, uniqueItems, ...schema }: JsonSchema): JsonSchema {
  return Object.setPrototypeOf(
    schema,
    uniqueItems === true ? CountedUniqueSchema.prototype : CountedSchema.prototype,
  );
}
