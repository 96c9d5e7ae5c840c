import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';

/**
 * Maximum number of steps for checking one answer. A step is one schema check and takes about a microsecond
 * (measured).
 */
export const MAX_STEPS = 3_000_000;
/**
 * Number of regular expression instructions that take as long as one schema check. Each instruction is
 * counted once per character.
 */
const PATTERN_STEPS_PER_STEP = 200;
/** Number of comparisons between two list items that take as long as one schema check. */
const COMPARISONS_PER_STEP = 10;

/**
 * Counts and limits the work of checking one answer against a schema. The work can be excessive even if the
 * schema is within its limits, for example with 10,000 rows and 10,000 alternatives for each. The validation
 * library has no limit of its own.
 */
export class StepCounter {
  #taken = 0;

  get taken(): number {
    return this.#taken;
  }

  reset(): void {
    this.#taken = 0;
  }

  /** Adds steps to the count. Throws `BadRequest` if the total exceeds `MAX_STEPS`. */
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

  /**
   * Adds the work of checking `uniqueItems` in a value. The validation library compares every pair of list
   * items.
   */
  addComparisons(value: unknown): void {
    if (Array.isArray(value)) this.add(value.length ** 2 / COMPARISONS_PER_STEP);
    if (!Array.isArray(value) && !isRecord(value)) return;
    for (const inner of Object.values(value)) this.addComparisons(inner);
  }
}

/** Returns whether any list in the value, at any depth, has duplicate items. Runs in linear time. */
export function hasDuplicates(value: unknown): boolean {
  if (Array.isArray(value) && new Set(value.map(canonicalJson)).size < value.length) return true;
  if (!Array.isArray(value) && !isRecord(value)) return false;
  return Object.values(value).some(hasDuplicates);
}

let currentCheck: { steps: StepCounter; hasDuplicates: boolean } | undefined;

/**
 * Calls `work` and counts its schema checks. `work` must be synchronous and validate with schemas that
 * `countVisits` returned.
 */
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

/**
 * Schema with `uniqueItems`. Shows the keyword to the library only if the value has duplicates, which avoids
 * needless pairwise comparisons.
 */
class CountedUniqueSchema extends CountedSchema {
  get uniqueItems(): boolean {
    return currentCheck?.hasDuplicates ?? true;
  }
}

/**
 * Makes a schema count each visit by the validation library. The library has no hook, but it reads all
 * keywords of each visited schema. The keyword `$recursiveAnchor` serves as the hook, because it has no
 * meaning in draft 2020-12. It is defined on the prototype, because an accessor on each schema would make the
 * library twice as slow.
 */
export function countVisits({ $recursiveAnchor: _, uniqueItems, ...schema }: JsonSchema): JsonSchema {
  return Object.setPrototypeOf(
    schema,
    uniqueItems === true ? CountedUniqueSchema.prototype : CountedSchema.prototype,
  );
}
