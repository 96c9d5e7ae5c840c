import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type ModelSettings, modelSettings, projects } from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { BUILTIN, LANGUAGE_USES } from '#src/ports/language-model.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { isWithinScope } from '#src/services/tenancy/scope.ts';

const MAX_DAILY_TOKENS = 1_000_000_000_000;

export const newModelSettings = z.object({
  models: z
    .partialRecord(z.enum(LANGUAGE_USES), z.string().max(64))
    .nullish()
    .describe(
      'Name of a model of this installation, or `builtin`, for each use. Absent uses have the defaults of the installation.',
    ),
  daily_tokens: z
    .number()
    .int()
    .min(0)
    .max(MAX_DAILY_TOKENS)
    .nullish()
    .describe(
      'Maximum number of tokens of the project per day in UTC. Null means the default of the installation.',
    ),
});
export type NewModelSettings = z.infer<typeof newModelSettings>;

export async function getModelSettings(ctx: TenantContext, projectId: string): Promise<ModelSettings> {
  await requireProject(ctx, projectId);
  return (await findModelSettings(ctx, projectId)) ?? { projectId, models: {}, dailyTokens: null };
}

export async function putModelSettings(
  ctx: TenantContext,
  projectId: string,
  input: NewModelSettings,
): Promise<ModelSettings> {
  const { organizationId } = await requireProject(ctx, projectId);
  await requireAdmin(ctx, organizationId);
  const models = input.models ?? {};
  for (const [use, name] of Object.entries(models)) requireKnownModel(ctx, name, ['models', use]);
  const changes = { models, dailyTokens: input.daily_tokens ?? null };
  const [row] = await ctx.db
    .insert(modelSettings)
    .values({ projectId, ...changes })
    .onConflictDoUpdate({ target: modelSettings.projectId, set: changes })
    .returning();
  return row!;
}

/**
 * Throws Invalid if no language model with this name is configured. The error lists the configured models.
 */
export function requireKnownModel(
  ctx: Context,
  name: string,
  path: string[],
  others: string[] = [BUILTIN],
): void {
  const known = [...ctx.models.languageNames(), ...others];
  if (known.includes(name)) return;
  const names = known.length > 0 ? `use one of ${known.join(', ')}` : 'none is configured';
  throw Invalid.field(path, `no language model with this name is configured: ${names}`);
}

export const findModelSettings = (ctx: Context, projectId: string) =>
  ctx.db.query.modelSettings.findFirst({ where: eq(modelSettings.projectId, projectId) });

async function requireProject(ctx: TenantContext, projectId: string) {
  const project = await ctx.db.query.projects.findFirst({ where: eq(projects.id, projectId) });
  if (project && (await isWithinScope(ctx, { projectId, organizationId: project.organizationId })))
    return project;
  throw new NotFound('Project', projectId);
}
