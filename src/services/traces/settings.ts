import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type TraceSettings, traceSettings } from '#src/db/schema/index.ts';
import { metadataFilters } from '#src/retrieval-contract/filter-schema.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';

export const DEFAULT_RETENTION_DAYS = 30;
const MAX_RETENTION_DAYS = 400;
/** Maximum length of `redact_where` as JSON. Every recorded passage is compared with the filter. */
const MAX_FILTER_CHARACTERS = 10_000;

const redactWhere = metadataFilters.check(({ value, issues }) => {
  if (JSON.stringify(value).length <= MAX_FILTER_CHARACTERS) return;
  const message = `may have at most ${MAX_FILTER_CHARACTERS} characters as JSON`;
  issues.push({ code: 'custom', path: [], input: value, message });
});

export const newTraceSettings = z.object({
  sample_rate: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('Share of retrievals and chat answers that are recorded. 0, the default, records nothing.'),
  retention_days: z
    .number()
    .int()
    .min(1)
    .max(MAX_RETENTION_DAYS)
    .nullish()
    .describe(`Days after which traces are deleted. Default: ${DEFAULT_RETENTION_DAYS}.`),
  record_text: z
    .boolean()
    .nullish()
    .describe(
      'Whether questions, filter values, prompts and answers are recorded and exported. By default only ids, scores, ' +
        'counts, lengths and durations are.',
    ),
  redact_where: redactWhere
    .nullish()
    .describe(
      'Metadata filter. If a passage of a prompt matches, the prompt and the answer are recorded without text.',
    ),
});
export type NewTraceSettings = z.infer<typeof newTraceSettings>;

const buildDefaults = (projectId: string): TraceSettings => ({
  projectId,
  sampleRate: 0,
  retentionDays: DEFAULT_RETENTION_DAYS,
  recordText: false,
  redactWhere: null,
  updatedAt: new Date(0),
});

/** Returns the trace settings of a project, or the defaults if none were saved. */
export async function findTraceSettings({ db }: Context, projectId: string): Promise<TraceSettings> {
  const row = await db.query.traceSettings.findFirst({ where: eq(traceSettings.projectId, projectId) });
  return row ?? buildDefaults(projectId);
}

/** Replaces the trace settings of the request's project. Only admins may do this. */
export async function putTraceSettings(ctx: TenantContext, input: NewTraceSettings): Promise<TraceSettings> {
  await requireAdmin(ctx, ctx.organizationId);
  const { projectId } = ctx;
  const values = {
    sampleRate: input.sample_rate ?? 0,
    retentionDays: input.retention_days ?? DEFAULT_RETENTION_DAYS,
    recordText: input.record_text ?? false,
    redactWhere: (input.redact_where as Record<string, unknown> | null | undefined) ?? null,
  };
  const [row] = await ctx.db
    .insert(traceSettings)
    .values({ projectId, ...values })
    .onConflictDoUpdate({ target: traceSettings.projectId, set: { ...values, updatedAt: new Date() } })
    .returning();
  return row!;
}
