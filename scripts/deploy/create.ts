import { z } from 'zod';
import type { DesiredState } from './configs.ts';
import { DeployFailure } from './failures.ts';
import type { Installation } from './installation.ts';
import type { OperatorPrompt } from './operator-prompt.ts';
import type { Plan } from './plan.ts';
import type { Platform } from './platform.ts';

/**
 * Returns the given or typed subdomain. The subdomain is permanent for the account, so no default is chosen.
 */
export async function requireSubdomain(
  given: string | undefined,
  operator: OperatorPrompt | undefined,
): Promise<string> {
  const name =
    given ??
    (await operator?.text(
      'The account has no workers.dev subdomain yet. All its Workers will use the same one. Name of the subdomain: ',
    ));
  if (name) return name;
  throw new DeployFailure('The account has no workers.dev subdomain yet. Choose one with --subdomain.');
}

interface Creation {
  installation: Installation;
  plan: Plan;
  wanted: DesiredState;
  subdomain: string | undefined;
  print: (text: string) => void;
  save: (change: Partial<Installation>) => void;
}

/**
 * Creates missing resources. Resources are found by name, so one that was created but not recorded is not
 * created twice.
 */
export async function createMissing(
  platform: Platform,
  { installation, plan, wanted, subdomain, print, save }: Creation,
): Promise<void> {
  const at = `/accounts/${installation.account_id}`;
  if (plan.subdomain) {
    print(`Registering ${subdomain}.workers.dev`);
    await platform.send('PUT', `${at}/workers/subdomain`, { subdomain }, z.unknown());
  }
  if (plan.database) {
    print(`Creating the database ${wanted.database}`);
    const answer = z.looseObject({ uuid: z.string() });
    const { uuid } = await platform.send('POST', `${at}/d1/database`, { name: wanted.database }, answer);
    save({ database_id: uuid });
  }
  for (const name of plan.buckets) {
    print(`Creating the bucket ${name}`);
    await platform.send('POST', `${at}/r2/buckets`, { name }, z.unknown());
  }
  for (const name of plan.queues) {
    print(`Creating the queue ${name}`);
    await platform.send('POST', `${at}/queues`, { queue_name: name }, z.unknown());
  }
  for (const [name, dimensions] of plan.indexes) {
    print(`Creating the Vectorize index ${name}`);
    const config = { dimensions, metric: 'cosine' };
    await platform.send('POST', `${at}/vectorize/v2/indexes`, { name, config }, z.unknown());
  }
}
