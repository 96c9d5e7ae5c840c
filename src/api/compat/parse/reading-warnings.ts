import type { Context } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { parsingWarnings } from '#src/reading/service/warnings.ts';
import { placeOf } from './parameters.ts';

/** What of the job's parameters changes nothing of how pages are read in this installation, as clients name it. */
export async function readingWarnings(
  ctx: Context,
  { projectId, configuration }: ParseJob,
): Promise<Warning[]> {
  const warnings = await parsingWarnings(ctx, projectId, '', configuration);
  return warnings.map(({ field, reason }) => {
    const [name = '', ...within] = field.split('.');
    return { field: [...(placeOf(name) ?? [name]), ...within].join('.'), reason };
  });
}
