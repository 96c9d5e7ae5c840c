import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type ModelSettings, modelSettings, projects } from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { BUILTIN, LANGUAGE_USES } from '#src/ports/language-model.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { isWithinScope } from '#src/services/tenancy/scope.ts';

const MOST_TOKENS = 1_000_000_000_000;

export const newModelSettings = z.object({
  models: z
    .partialRecord(z.enum(LANGUAGE_USES), z.string().max(64))
    .nullish()
    .describe(
      'Use -> name of a model of this installation, or "builtin". Uses that are not named: its defaults.',
    ),
  daily_tokens: z
    .number()
    .int()
    .min(0)
    .max(MOST_TOKENS)
    .nullish()
    .describe(
      'Tokens that calls of the project may take in a day of UTC; null: the default of the installation.',
    ),
});
export type NewModelSettings = z.infer<typeof newModelSettings>;

export async function getModelSettings(ctx: TenantContext, projectId: string): Promise<ModelSettings> {
  await reachedProject(ctx, projectId);
  return (await findModelSettings(ctx, projectId)) ?? { projectId, models: {}, dailyTokens: null };
}

export async function putModelSettings(
  ctx: TenantContext,
  projectId: string,
  input: NewModelSettings,
): Promise<ModelSettings> {
  const { organizationId } = await reachedProject(ctx, projectId);
  await requireAdmin(ctx, organizationId);
  const models = input.models ?? {};
  for (const [use, name] of Object.entries(models)) requireName(ctx, name, ['models', use]);
  const changes = { models, dailyTokens: input.daily_tokens ?? null };
  const [row] = await ctx.db
    .insert(modelSettings)
    .values({ projectId, ...changes })
    .onConflictDoUpdate({ target: modelSettings.projectId, set: changes })
    .returning();
  return row!;
}

/** Throws Invalid for an unknown model name. The error lists the known ones. */
export function requireName(ctx: Context, name: string, path: string[], others: string[] = [BUILTIN]): void {
  const known = [...ctx.models.languageNames(), ...others];
  if (known.includes(name)) return;
  const names = known.length > 0 ? `its models are ${known.join(', ')}` : 'it has none';
  throw Invalid.field(path, `this installation has no language model of that name: ${names}`);
}

export const findModelSettings = (ctx: Context, projectId: string) =>
  ctx.db.query.modelSettings.findFirst({ where: eq(modelSettings.projectId, projectId) });

async function reachedProject(ctx: TenantContext, projectId: string) {
  const project = await ctx.db.query.projects.findFirst({ where: eq(projects.id, projectId) });
  if (project && (await isWithinScope(ctx, { projectId, organizationId: project.organizationId })))
    return project;
  throw new NotFound('Project', projectId);
}
