import { z } from 'zod';
import { requireToken } from './account.ts';
import { buildDesiredState, type DesiredState, ROLES } from './configs.ts';
import { type Existing, readExisting } from './existing.ts';
import { DeployFailure } from './failures.ts';
import { InstallationFile } from './installation.ts';
import type { DestroyOptions } from './options.ts';
import { Platform } from './platform.ts';
import type { CommandContext } from './run.ts';

/** Number of objects deleted concurrently. Cloudflare limits a token to 1,200 calls in five minutes. */
const MAX_CONCURRENT = 8;
/** A progress line is printed each time this number of objects has been deleted. */
const REPORT_EVERY = 1000;

/** Deletes an installation and all its data. After an interruption, the next run continues. */
export async function destroy(
  { installation: path, dryRun, confirm }: DestroyOptions,
  { operator, print }: CommandContext,
): Promise<void> {
  const file = new InstallationFile(path);
  const installation = file.read();
  if (!installation)
    throw new DeployFailure(
      `${path} does not exist, so nothing was deployed from this folder. Name the installation file with --installation.`,
    );
  const platform = new Platform(await requireToken(operator));
  const wanted = buildDesiredState(installation);
  const existing = await readExisting(platform, installation.account_id, wanted);
  const lines = listResources(wanted, existing);
  const inAccount = `in the account ${installation.account_id}`;
  print(
    [
      `${dryRun ? 'Would delete' : 'The following will be deleted'} ${inAccount}:`,
      ...lines.map((line) => `  ${line}`),
    ].join('\n'),
  );
  if (dryRun) return;
  const typed =
    confirm ??
    (await operator?.text(`This cannot be undone. Type the installation's name, ${installation.name}: `));
  if (typed !== installation.name) {
    throw new DeployFailure(
      `Nothing was deleted: ${typed === undefined ? '--confirm' : 'the typed name'} is not ${installation.name}.`,
    );
  }
  await deleteAll({ platform, at: `/accounts/${installation.account_id}`, wanted, existing, print });
  file.remove();
  print(
    `The installation ${installation.name} was deleted. The workers.dev subdomain of the account was not changed.`,
  );
}

function listResources(
  wanted: DesiredState,
  { workers, queues, database, buckets, indexes }: Existing,
): string[] {
  return [
    ...ROLES.filter((role) => workers.has(role)).map((role) =>
      role === 'service'
        ? `the Worker ${wanted.configs[role].name} with its secrets and Durable Objects`
        : `the Worker ${wanted.configs[role].name}`,
    ),
    ...[...queues.keys()].map((name) => `the queue ${name}`),
    ...(database ? [`the database ${wanted.database}`] : []),
    ...[...buckets].map((name) => `the bucket ${name} with all objects`),
    ...[...indexes.keys()].map((name) => `the Vectorize index ${name}`),
  ];
}

interface Deletion {
  platform: Platform;
  at: string;
  wanted: DesiredState;
  existing: Existing;
  print: (text: string) => void;
}

/** Deletes the Workers first, so that nothing writes to the resources that are being deleted. */
async function deleteAll({ platform, at, wanted, existing, print }: Deletion): Promise<void> {
  const consumer = z.looseObject({ consumer_id: z.string() });
  for (const id of existing.queues.values()) {
    for (const { consumer_id } of await platform.list(`${at}/queues/${id}/consumers`, consumer)) {
      await platform.remove(`${at}/queues/${id}/consumers/${consumer_id}`);
    }
  }
  for (const role of ROLES.toReversed().filter((name) => existing.workers.has(name))) {
    const { name } = wanted.configs[role];
    print(`Deleting the Worker ${name}`);
    // `force` confirms that the Durable Objects of the Worker are deleted as well.
    await platform.remove(`${at}/workers/scripts/${name}?force=true`);
  }
  for (const [name, id] of existing.queues) {
    print(`Deleting the queue ${name}`);
    await platform.remove(`${at}/queues/${id}`);
  }
  for (const name of existing.buckets) {
    print(`Deleting the bucket ${name}`);
    await emptyBucket(platform, `${at}/r2/buckets/${name}`, print);
    await platform.remove(`${at}/r2/buckets/${name}`);
  }
  for (const name of existing.indexes.keys()) {
    print(`Deleting the Vectorize index ${name}`);
    await platform.remove(`${at}/vectorize/v2/indexes/${name}`);
  }
  if (existing.database) {
    print(`Deleting the database ${wanted.database}`);
    await platform.remove(`${at}/d1/database/${existing.database}`);
  }
}

/**
 * Deletes one page of objects after the other. Each listing starts at the beginning, because the objects of
 * the previous page are gone.
 */
async function emptyBucket(platform: Platform, bucket: string, print: (text: string) => void): Promise<void> {
  const object = z.looseObject({ key: z.string() });
  for (let removed = 0; ; ) {
    const { items } = await platform.page(`${bucket}/objects`, object);
    if (items.length === 0) return;
    const keys = items.map(({ key }) => key);
    await Promise.all(
      Array.from({ length: MAX_CONCURRENT }, async () => {
        for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
          await platform.remove(`${bucket}/objects/${key.split('/').map(encodeURIComponent).join('/')}`);
          removed += 1;
          if (removed % REPORT_EVERY === 0) print(`  ${removed} objects deleted`);
        }
      }),
    );
  }
}
