import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import type { TruthKind } from '#src/db/schema/index.ts';
import { Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { getSavedParameters } from '#src/services/jobs/configuration.ts';
import { getJobTable, toJobId } from '#src/services/jobs/kinds.ts';
import {
  type ApprovedResult,
  type ApprovedSelection,
  iterateApprovedResults,
} from '#src/services/jobs/reviews/approved-results.ts';
import { MAX_SET_CHARACTERS, MAX_TRUTHS, type TruthCollection, truthFields } from './input.ts';
import { type CountedTruthSet, getTruthSet } from './truth-sets.ts';
import { findFileIds } from './truths.ts';
import { saveTruths, type TruthRow } from './write-truths.ts';

const PRODUCTS = {
  extraction: { jobs: 'extract', productType: 'extract_v2', name: 'Extract' },
  classification: { jobs: 'classify', productType: 'classify_v2', name: 'Classify' },
} as const satisfies Record<TruthKind, unknown>;

/** Returns what a kind of truth set measures: its jobs and its saved configurations. */
export const getProduct = (kind: TruthKind) => PRODUCTS[kind];

export interface CollectedTruths {
  added: number;
  replaced: number;
  /** Number of approved results that are no truth, because they have no file, are too large or are not the newest. */
  skipped: number;
}

/**
 * Takes the approved results of jobs as truths, with the corrections of the reviewers. If several jobs of a file are
 * approved, the newest approval counts. Results that are not approved are ignored.
 */
export async function collectTruths(
  ctx: TenantContext,
  truthSetId: string,
  input: TruthCollection,
): Promise<CollectedTruths> {
  const set = await getTruthSet(ctx, truthSetId);
  const selection = await select(ctx, set, input);
  const rows = new Map<string, TruthRow>();
  let skipped = 0;
  let characters = 0;
  const { jobs } = getProduct(set.kind);
  for await (const approved of iterateApprovedResults(ctx, jobs, set.projectId, selection)) {
    const row = toRow(set.kind, approved);
    if (!row || rows.has(row.fileId)) {
      skipped += 1;
      continue;
    }
    characters += JSON.stringify(row.value).length;
    if (rows.size >= MAX_TRUTHS || characters > MAX_SET_CHARACTERS) {
      throw new Conflict(
        `There are more approved results than a truth set can have (${MAX_TRUTHS} files, ${MAX_SET_CHARACTERS} characters). Choose some by job_ids.`,
      );
    }
    rows.set(row.fileId, row);
  }
  const known = await findFileIds(ctx, set.projectId, [...rows.keys()]);
  const kept = [...rows.values()].filter(({ fileId }) => known.has(fileId));
  skipped += rows.size - kept.length;
  return kept.length === 0
    ? { added: 0, replaced: 0, skipped }
    : { ...(await saveTruths(ctx, set, kept)), skipped };
}

/** Throws NotFound if a job or the configuration does not exist in the project of the set. */
async function select(
  ctx: TenantContext,
  set: CountedTruthSet,
  { job_ids, configuration_id }: TruthCollection,
): Promise<ApprovedSelection> {
  if (Boolean(job_ids) === Boolean(configuration_id))
    throw Invalid.field(['job_ids'], 'Provide either job_ids or configuration_id');
  const { jobs, productType, name } = getProduct(set.kind);
  if (configuration_id) {
    const own = { ...ctx, projectId: set.projectId, onlyProjectId: set.projectId };
    const saved = await getSavedParameters(own, configuration_id, productType, name);
    return { configurationId: saved.id };
  }
  const jobIds = [...new Set(job_ids!.map((id) => toJobId(jobs, id)))];
  const table = getJobTable(jobs);
  const found = await ctx.db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.projectId, set.projectId), isInList(table.id, jobIds)));
  const known = new Set(found.map(({ id }) => id));
  const missing = jobIds.find((id) => !known.has(id));
  if (missing !== undefined) throw new NotFound(`${name} job`, missing);
  return { jobIds };
}

/** Returns `undefined` if an approved result cannot be a truth. */
function toRow(kind: TruthKind, { jobId, fileId, contentHash, value }: ApprovedResult): TruthRow | undefined {
  const field = kind === 'extraction' ? truthFields.values : truthFields.type;
  if (fileId === null || !field.safeParse(value).success) return undefined;
  return { fileId, value, jobId, origin: 'collected', ...(contentHash && { fileHash: contentHash }) };
}
