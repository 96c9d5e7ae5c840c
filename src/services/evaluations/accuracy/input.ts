import { z } from 'zod';
import { classifyConfiguration } from '#src/classification/configuration.ts';
import { TRUTH_KINDS, type TruthKind } from '#src/db/schema/index.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { inlineConfiguration } from '#src/services/jobs/extraction/extract-jobs.ts';

/** Maximum number of truth sets of a project. */
export const MAX_TRUTH_SETS = 200;
/** Maximum number of truths of a set, and of characters of all its truths together. */
export const MAX_TRUTHS = 2_000;
export const MAX_SET_CHARACTERS = 20_000_000;
/** Maximum number of truths that one request adds. Imports may add more. */
export const MAX_NEW_TRUTHS = 500;
/** Maximum size of the expected values of a file in characters of JSON, and their maximum depth. */
const MAX_VALUE_CHARACTERS = 200_000;
const MAX_VALUE_DEPTH = 32;

const name = z.string().trim().min(1).max(200);
const description = z.string().max(2_000).nullish();

export const newTruthSet = z.object({
  kind: z.enum(TRUTH_KINDS).describe('Kind of results that the set has. It cannot be changed.'),
  name,
  description,
});
export type NewTruthSet = z.infer<typeof newTruthSet>;
export const truthSetChanges = z.object({ name: name.nullish(), description });
export type TruthSetChanges = z.infer<typeof truthSetChanges>;

/** Returns whether a value is nested at most as deep as truths may be. */
function isShallow(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth < MAX_VALUE_DEPTH && Object.values(value).every((inner) => isShallow(inner, depth + 1));
}

/** Expected result of a file, without the file. */
export const truthFields = {
  values: z
    .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .refine((values) => isShallow(values), { error: `must have at most ${MAX_VALUE_DEPTH} levels` })
    .refine((values) => JSON.stringify(values).length <= MAX_VALUE_CHARACTERS, {
      error: `must have at most ${MAX_VALUE_CHARACTERS} characters as JSON`,
    })
    .nullish()
    .describe(
      'Expected result of an extraction: an object, or a list for configurations that extract per page or table row. ' +
        'Null means that the document has no such value. Members that you omit are not measured.',
    ),
  type: z
    .string()
    .min(1)
    .max(1_000)
    .nullish()
    .describe('Expected type of a classification. Null means that no rule fits.'),
};

export const newTruth = z.object({ file_id: z.string().min(1).max(200), ...truthFields });
export const newTruths = z.object({ truths: z.array(newTruth).min(1).max(MAX_NEW_TRUTHS) });
export type NewTruth = z.infer<typeof newTruth>;

/** Returns the reason why the members of a truth do not fit the kind of its set, or `undefined` if they do. */
export function findTruthProblem(
  kind: TruthKind,
  { values, type }: Pick<NewTruth, 'values' | 'type'>,
): { field: 'values' | 'type'; message: string } | undefined {
  if (kind === 'extraction') {
    if (type !== undefined && type !== null)
      return { field: 'type', message: 'A set of kind extraction has values, and no type' };
    return values ? undefined : { field: 'values', message: 'Provide the expected values of the file' };
  }
  if (values) return { field: 'values', message: 'A set of kind classification has a type, and no values' };
  return type === undefined
    ? { field: 'type', message: 'Provide the expected type of the file, or null if no rule fits' }
    : undefined;
}

export const truthImport = z.object({
  content: z
    .string()
    .min(1)
    .max(MAX_SET_CHARACTERS)
    .describe(
      'JSON Lines. Each line has `values` or `type`, and names the file by `file_id`, `file_name` or ' +
        '`external_file_id`.',
    ),
});

export const truthCollection = z.object({
  job_ids: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(MAX_NEW_TRUTHS)
    .nullish()
    .describe('Jobs whose approved results are taken.'),
  configuration_id: z
    .string()
    .max(200)
    .nullish()
    .describe('Saved configuration. The approved results of all its jobs are taken.'),
});
export type TruthCollection = z.infer<typeof truthCollection>;

export const newAccuracyRun = z.object({
  truth_set_id: uuid(),
  name: name.nullish().describe('Default: the name of the configuration and the time.'),
  configuration_id: z
    .string()
    .max(200)
    .nullish()
    .describe('Saved configuration to measure. Provide either this or an inline configuration.'),
  extract_configuration: inlineConfiguration
    .nullish()
    .describe('Configuration of an extraction, for truth sets of kind `extraction`.'),
  classify_configuration: classifyConfiguration
    .nullish()
    .describe('Rules of a classification, for truth sets of kind `classification`.'),
});
export type NewAccuracyRun = z.infer<typeof newAccuracyRun>;
