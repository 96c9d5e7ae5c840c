import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { TRUTH_KINDS, TRUTH_ORIGINS } from '#src/db/schema/index.ts';
import type { CountedTruthSet } from '#src/services/evaluations/accuracy/truth-sets.ts';
import type { ShownTruth } from '#src/services/evaluations/accuracy/truths.ts';

export const truthSetBody = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    kind: z.enum(TRUTH_KINDS),
    name: z.string(),
    description: z.string().nullish(),
    version: z.int().describe('Increases with each change of the truths.'),
    truth_count: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'TruthSet' });

export const presentTruthSet = (row: CountedTruthSet): z.input<typeof truthSetBody> => ({
  id: row.id,
  project_id: row.projectId,
  kind: row.kind,
  name: row.name,
  description: row.description,
  version: row.version,
  truth_count: row.truthCount,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

/** Expected result of a file, as truths and results of runs show it. */
export const expectedFields = {
  values: z.unknown().describe('Expected values of an extraction. Null for classifications.'),
  type: z
    .string()
    .nullish()
    .describe('Expected type of a classification, or null if no rule fits. Null for extractions.'),
};

export const presentExpected = ({ kind, expected }: Pick<ShownTruth, 'kind' | 'expected'>) =>
  kind === 'extraction'
    ? { values: expected.value, type: null }
    : { values: null, type: expected.value as string | null };

export const truthBody = z
  .object({
    id: z.uuid(),
    truth_set_id: z.uuid(),
    file_id: z.uuid(),
    file_name: z.string(),
    ...expectedFields,
    origin: z.enum(TRUTH_ORIGINS),
    job_id: z.string().nullish().describe('Job whose approved result is the truth.'),
    is_affected: z.boolean().describe('Whether the file was changed since the truth was written.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Truth' });

export const presentTruth = (row: ShownTruth): z.input<typeof truthBody> => ({
  id: row.id,
  truth_set_id: row.truthSetId,
  file_id: row.fileId,
  file_name: row.fileName,
  ...presentExpected(row),
  origin: row.origin,
  job_id: row.jobId,
  is_affected: row.isAffected,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

export const truthChangeFields = {
  added_count: z.int(),
  replaced_count: z.int().describe('Number of truths that replaced others of the same file.'),
};
export const truthImportBody = z.object(truthChangeFields).meta({ id: 'TruthImportResult' });
export const truthCollectionBody = z
  .object({
    ...truthChangeFields,
    skipped_count: z
      .int()
      .describe(
        'Number of approved results that were left out, because their file was deleted, they are too large, or the ' +
          'same file has a newer approval.',
      ),
  })
  .meta({ id: 'TruthCollectionResult' });
