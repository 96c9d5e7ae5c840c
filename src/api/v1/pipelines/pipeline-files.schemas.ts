import { z } from 'zod';
import { ingestionStatus } from './pipelines.schemas.ts';

export const statusCountsBody = z
  .object({
    counts: z.record(z.string(), z.number().int()).describe('Number of files in every state, including 0.'),
    total_count: z.number().int(),
    pipeline_id: z.uuid().nullish(),
    data_source_id: z.uuid().nullish(),
    only_manually_uploaded: z.boolean().nullish(),
  })
  .meta({ id: 'StatusCounts' });

export function withEveryStatus(counts: Partial<Record<z.infer<typeof ingestionStatus>, number>>) {
  const all = ingestionStatus.options.map((status) => [status, counts[status] ?? 0] as const);
  return { counts: Object.fromEntries(all), total_count: all.reduce((sum, [, n]) => sum + n, 0) };
}
