import { eq, type SQL, sql } from 'drizzle-orm';
import { applyClassifyDefaults, type ClassifyConfiguration } from '#src/classification/configuration.ts';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { type AccuracyRun, accuracyResults, accuracyRuns, truths } from '#src/db/schema/index.ts';
import type { ExtractConfiguration } from '#src/extraction/configuration.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { openSavedParsing } from '#src/services/jobs/configuration.ts';
import { getConfiguration, openConfiguration } from '#src/services/jobs/configurations.ts';
import { resolveConfiguration } from '#src/services/jobs/extraction/extract-jobs.ts';
import { addSavedParsing } from '#src/services/jobs/parameters.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { getProduct } from './collect-truths.ts';
import type { NewAccuracyRun } from './input.ts';
import { type CountedTruthSet, getTruthSet } from './truth-sets.ts';

/** Maximum number of runs of a project, and of its runs that have not ended. */
const MAX_RUNS = 100;
const MAX_OPEN_RUNS = 20;

interface ChosenConfiguration {
  configurationId: string | null;
  name: string;
  configuration: Record<string, unknown>;
}

/**
 * Records a run with a copy of all truths of the set and of the configuration, and returns before the files are
 * evaluated. The job intake of the project continues the run, also after a crash.
 */
export async function createAccuracyRun(ctx: TenantContext, input: NewAccuracyRun): Promise<string> {
  const first = await getTruthSet(ctx, input.truth_set_id);
  // The configuration must belong to the project of the set, and no other.
  const own = { ...ctx, projectId: first.projectId, onlyProjectId: first.projectId };
  const chosen = await chooseConfiguration(own, first, input);
  // Throws if the project has used its daily tokens. Otherwise every file would fail.
  await getLanguageModel(ctx, first.projectId, getProduct(first.kind).jobs);
  const id = newId();
  const configuration = await prepareConfiguration(own, first, id, chosen.configuration);
  await retryUntilWritten(async () => {
    const set = await getTruthSet(ctx, first.id);
    if (set.truthCount === 0) throw new Conflict(`Truth set ${set.id} has no truths. Add some first.`);
    return insertRun(ctx, set, { ...chosen, configuration, id, name: input.name ?? nameRun(chosen.name) });
  });
  return id;
}

const nameRun = (target: string): string =>
  `${target.slice(0, 180)} ${new Date().toISOString().slice(0, 16).replace('T', ' ')}`;

async function chooseConfiguration(
  ctx: TenantContext,
  { kind }: CountedTruthSet,
  input: NewAccuracyRun,
): Promise<ChosenConfiguration> {
  const fields = {
    extraction: ['extract_configuration', input.extract_configuration],
    classification: ['classify_configuration', input.classify_configuration],
  } as const;
  const [field, inline] = fields[kind];
  const [otherField, other] = fields[kind === 'extraction' ? 'classification' : 'extraction'];
  if (other) throw Invalid.field([otherField], `The truth set is of kind ${kind}. Provide ${field} instead.`);
  if (Boolean(inline) === Boolean(input.configuration_id))
    throw Invalid.field(['configuration_id'], `Provide either configuration_id or ${field}`);
  const { productType, name } = getProduct(kind);
  if (inline) return { configurationId: null, name: `${name} configuration`, configuration: inline };
  const row = await getConfiguration(ctx, input.configuration_id!);
  if (row.productType !== productType) {
    const message = `The configuration is of type ${row.productType}. The truth set needs one of type ${productType}.`;
    throw Invalid.field(['configuration_id'], message);
  }
  const { product_type: _, ...parameters } = await openConfiguration(ctx, row);
  return { configurationId: row.id, name: row.name, configuration: parameters };
}

/** Returns the configuration with defaults, and with the saved parse parameters whose secrets are encrypted. */
async function prepareConfiguration(
  ctx: TenantContext,
  { kind }: CountedTruthSet,
  runId: string,
  given: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (kind === 'classification') return applyClassifyDefaults(given as unknown as ClassifyConfiguration);
  const configuration = resolveConfiguration(given as unknown as ExtractConfiguration);
  const parsing = await openSavedParsing(ctx, configuration.parse_config_id);
  return { ...(await addSavedParsing(ctx, runId, { ...configuration, confidence_scores: true }, parsing)) };
}

/** Returns `undefined` if the truths of the set were changed since the set was read. */
async function insertRun(
  ctx: TenantContext,
  set: CountedTruthSet,
  chosen: ChosenConfiguration & { id: string },
): Promise<AccuracyRun | undefined> {
  const now = new Date();
  const row: AccuracyRun = {
    id: chosen.id,
    projectId: set.projectId,
    truthSetId: set.id,
    truthSetVersion: set.version,
    kind: set.kind,
    userId: ctx.actor.userId,
    name: chosen.name,
    configuration: chosen.configuration,
    configurationId: chosen.configurationId,
    status: 'PENDING',
    errorMessage: null,
    summary: null,
    consumer: null,
    leaseUntil: null,
    finishedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await ctx.objects.jobIntake(set.projectId).advanceEvaluation(row.id);
  const condition = sql`exists (select 1 from truth_sets where id = ${set.id} and version = ${set.version})
    and ${countRuns(set.projectId)} < ${MAX_RUNS}
    and ${countRuns(set.projectId, sql`and status in ('PENDING', 'RUNNING')`)} < ${MAX_OPEN_RUNS}`;
  await ctx.db.batch([
    buildConditionalInsert(ctx, createConditionalRow(accuracyRuns, row, condition)),
    ctx.db.insert(accuracyResults).select(sql`select ${row.id}, ${truths.projectId}, ${truths.fileId},
      row_number() over (order by files.name, ${truths.fileId}), ${truths.expected}, 'pending', 0, null, null, null
      from ${truths} join files on files.id = ${truths.fileId} where ${truths.truthSetId} = ${set.id}
      and exists (select 1 from accuracy_runs where id = ${row.id})`),
  ]);
  const created = await ctx.db.query.accuracyRuns.findFirst({ where: eq(accuracyRuns.id, row.id) });
  if (!created) await requireRoom(ctx, set.projectId);
  return created;
}

const countRuns = (projectId: string, condition: SQL = sql``): SQL =>
  sql`(select count(*) from accuracy_runs where project_id = ${projectId} ${condition})`;

async function requireRoom(ctx: TenantContext, projectId: string): Promise<void> {
  const row = await ctx.db.get<{ count: number; open: number }>(sql`select
    ${countRuns(projectId)} as count,
    ${countRuns(projectId, sql`and status in ('PENDING', 'RUNNING')`)} as open`);
  if (row.open >= MAX_OPEN_RUNS) {
    throw new Conflict(`The project already has ${MAX_OPEN_RUNS} unfinished runs. Wait until one has ended.`);
  }
  if (row.count >= MAX_RUNS) {
    throw new Conflict(`The project has ${MAX_RUNS} runs, which is the maximum. Delete others first.`);
  }
}
