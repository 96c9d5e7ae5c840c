import { z } from 'zod';
import { encodedRecord } from '#src/sinks/native/record-json.ts';
import { RECORD } from '#src/sinks/opensearch/fields.ts';
import { createHitsSchema } from '#src/sinks/opensearch/wire.ts';

const source = z.object({ [RECORD]: encodedRecord });

const hit = z.object({ _source: source }).transform(({ _source }) => _source[RECORD]);

/** Schema of listed records. */
export const listedRecords = createHitsSchema(hit);

const foundHit = z
  .object({ _score: z.number(), _source: source })
  .transform(({ _score, _source }) => ({ score: _score, ..._source[RECORD] }));

const cause = z.object({ type: z.string().nullish(), reason: z.string().nullish() });
const failed = z.object({
  status: z.int(),
  error: cause.extend({ root_cause: z.array(cause).nullish().catch(null) }),
});
export type FailedSearch = z.output<typeof failed>;

/**
 * Schema of the answers to several searches, in the order of the searches. Documents that Sluice did not write become
 * `null`.
 */
export const severalAnswers = z.object({
  responses: z.array(z.union([failed, createHitsSchema(foundHit.nullable().catch(null))])),
});
