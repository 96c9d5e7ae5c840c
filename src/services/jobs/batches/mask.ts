import type { Batch } from '#src/db/schema/index.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';

/** Returns the configuration of a batch with masked secrets. Only parse parameters can contain secrets. */
export function maskBatchConfiguration(batch: Batch): Record<string, unknown> {
  return batch.jobType === 'parse' ? maskSecrets(parseParameters, batch.configuration) : batch.configuration;
}
