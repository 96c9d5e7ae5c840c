import { z } from 'zod';
import type { Operator } from './ask.ts';
import type { Wanted } from './configs.ts';
import { DeployFailure } from './failures.ts';
import type { Installation } from './installation.ts';
import type { Plan } from './plan.ts';
import type { Platform } from './platform.ts';

/** It is the account's for good, so nobody but its owner chooses it. */
export async function namedSubdomain(
  given: string | undefined,
  operator: Operator | undefined,
): Promise<string> {
  const name =
    given ??
    (await operator?.text(
      'The account has no subdomain of workers.dev yet; all of its Workers will be under it. Its name? ',
    ));
  if (name) return name;
  throw new DeployFailure('The account has no subdomain of workers.dev yet: choose one with --subdomain.');
}

interface Creation {
  installation: Installation;
  plan: Plan;
  wanted: Wanted;
  subdomain: string | undefined;
  tell: (text: string) => void;
  keep: (change: Partial<Installation>) => void;
}

/** Makes what the Workers are bound to. Each is looked for by its name, so one that was made and not noted is found. */
export async function createMissing(
  platform: Platform,
  { installation, plan, wanted, subdomain, tell, keep }: Creation,
): Promise<void> {
  const at = `/accounts/${installation.account_id}`;
  if (plan.subdomain) {
    tell(`Registering ${subdomain}.workers.dev`);
    await platform.send('PUT', `${at}/workers/subdomain`, { subdomain }, z.unknown());
  }
  if (plan.database) {
    tell(`Creating the database ${wanted.database}`);
    const answer = z.looseObject({ uuid: z.string() });
    const { uuid } = await platform.send('POST', `${at}/d1/database`, { name: wanted.database }, answer);
    keep({ database_id: uuid });
  }
  for (const name of plan.buckets) {
    tell(`Creating the bucket ${name}`);
    await platform.send('POST', `${at}/r2/buckets`, { name }, z.unknown());
  }
  for (const name of plan.queues) {
    tell(`Creating the queue ${name}`);
    await platform.send('POST', `${at}/queues`, { queue_name: name }, z.unknown());
  }
  for (const [name, dimensions] of plan.indexes) {
    tell(`Creating the index ${name}`);
    const config = { dimensions, metric: 'cosine' };
    await platform.send('POST', `${at}/vectorize/v2/indexes`, { name, config }, z.unknown());
  }
}
