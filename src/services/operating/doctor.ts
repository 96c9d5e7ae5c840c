import type { TenantContext } from '#src/context/context.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import type { Check, CheckStep } from './check.ts';
import { checkBytes } from './checks/bytes.ts';
import { checkDeadLetters } from './checks/dead-letters.ts';
import { checkIndexes } from './checks/indexes.ts';
import { checkJobs, checkWebhooks } from './checks/jobs.ts';
import { checkObjects } from './checks/objects.ts';
import { checkDeletions, checkRuns } from './checks/runs.ts';
import { checkSchema } from './checks/schema.ts';
import { checkSecrets } from './checks/secrets.ts';
import { checkLimits } from './platform-limits/report.ts';

/** Checks in the order in which an installation is examined. Checks on which others depend come first. */
const CHECKS = {
  schema: checkSchema,
  secrets: checkSecrets,
  limits: checkLimits,
  dead_letters: checkDeadLetters,
  syncs: checkRuns,
  jobs: checkJobs,
  webhooks: checkWebhooks,
  deletions: checkDeletions,
  indexes: checkIndexes,
  bytes: checkBytes,
  objects: checkObjects,
} as const satisfies Record<string, Check>;

export type CheckName = keyof typeof CHECKS;
export const CHECK_NAMES = Object.keys(CHECKS) as [CheckName, ...CheckName[]];

const DEFAULT_SIZE = 100;

/**
 * Runs one page of a check over all tenants, and repairs problems if requested. Requires the bootstrap key.
 */
export async function examineInstallation(
  ctx: TenantContext,
  {
    check,
    fix,
    page_size,
    page_token,
  }: {
    check: CheckName;
    fix?: boolean | null | undefined;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<CheckStep> {
  await requireOperator(ctx);
  return CHECKS[check](ctx, { page_token, page_size: page_size ?? DEFAULT_SIZE, fix: fix ?? false });
}
