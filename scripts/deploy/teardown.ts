import { z } from 'zod';
import { tokenOf } from './account.ts';
import { ROLES, type Wanted, wantedBy } from './configs.ts';
import { type Existing, existingOf } from './existing.ts';
import { DeployFailure } from './failures.ts';
import { InstallationFile } from './installation.ts';
import type { DestroyOptions } from './options.ts';
import { Platform } from './platform.ts';
import type { Surroundings } from './run.ts';

/** Objects that are removed at a time; the platform limits the calls of a token to 1,200 in five minutes. */
const SIDE_BY_SIDE = 8;
/** After how many removed objects it is told. */
const TOLD_EVERY = 1000;

/** Takes an installation away, with all that it has stored. Interrupted, the next run goes on. */
export async function destroy(
  { installation: path, dryRun, confirm }: DestroyOptions,
  { operator, tell }: Surroundings,
): Promise<void> {
  const file = new InstallationFile(path);
  const installation = file.read();
  if (!installation) throw new DeployFailure(`There is no ${path}: nothing was deployed from here.`);
  const platform = new Platform(await tokenOf(operator));
  const wanted = wantedBy(installation);
  const existing = await existingOf(platform, installation.account_id, wanted);
  const lines = doomed(wanted, existing);
  const inAccount = `in the account ${installation.account_id}`;
  tell(
    [`${dryRun ? 'Would delete' : 'To be deleted'} ${inAccount}:`, ...lines.map((line) => `  ${line}`)].join(
      '\n',
    ),
  );
  if (dryRun) return;
  const typed =
    confirm ??
    (await operator?.text(`This cannot be undone. Type the installation's name, ${installation.name}: `));
  if (typed !== installation.name) {
    throw new DeployFailure(
      `Nothing was deleted: ${typed === undefined ? '--confirm' : 'what was typed'} is not ${installation.name}.`,
    );
  }
  await deleteAll({ platform, at: `/accounts/${installation.account_id}`, wanted, existing, tell });
  file.remove();
  tell(`The installation ${installation.name} is gone. The account's subdomain of workers.dev stays.`);
}

function doomed(wanted: Wanted, { workers, queues, database, buckets, indexes }: Existing): string[] {
  return [
    ...ROLES.filter((role) => workers.has(role)).map((role) =>
      role === 'service'
        ? `the Worker ${wanted.configs[role].name} with its secrets and Durable Objects`
        : `the Worker ${wanted.configs[role].name}`,
    ),
    ...[...queues.keys()].map((name) => `the queue ${name}`),
    ...(database ? [`the database ${wanted.database}`] : []),
    ...[...buckets].map((name) => `the bucket ${name} with all objects`),
    ...[...indexes.keys()].map((name) => `the index ${name}`),
  ];
}

interface Deletion {
  platform: Platform;
  at: string;
  wanted: Wanted;
  existing: Existing;
  tell: (text: string) => void;
}

/** First what works with the rest, so that nothing is written into what is being emptied. */
async function deleteAll({ platform, at, wanted, existing, tell }: Deletion): Promise<void> {
  const consumer = z.looseObject({ consumer_id: z.string() });
  for (const id of existing.queues.values()) {
    for (const { consumer_id } of await platform.list(`${at}/queues/${id}/consumers`, consumer)) {
      await platform.remove(`${at}/queues/${id}/consumers/${consumer_id}`);
    }
  }
  for (const role of ROLES.toReversed().filter((name) => existing.workers.has(name))) {
    const { name } = wanted.configs[role];
    tell(`Deleting the Worker ${name}`);
    // Its Durable Objects go with it, which the platform wants to be told.
    await platform.remove(`${at}/workers/scripts/${name}?force=true`);
  }
  for (const [name, id] of existing.queues) {
    tell(`Deleting the queue ${name}`);
    await platform.remove(`${at}/queues/${id}`);
  }
  for (const name of existing.buckets) {
    tell(`Deleting the bucket ${name}`);
    await emptyBucket(platform, `${at}/r2/buckets/${name}`, tell);
    await platform.remove(`${at}/r2/buckets/${name}`);
  }
  for (const name of existing.indexes.keys()) {
    tell(`Deleting the index ${name}`);
    await platform.remove(`${at}/vectorize/v2/indexes/${name}`);
  }
  if (existing.database) {
    tell(`Deleting the database ${wanted.database}`);
    await platform.remove(`${at}/d1/database/${existing.database}`);
  }
}

/** A page after the other, each from the beginning: what stood there is gone. */
async function emptyBucket(platform: Platform, bucket: string, tell: (text: string) => void): Promise<void> {
  const object = z.looseObject({ key: z.string() });
  for (let removed = 0; ; ) {
    const { items } = await platform.page(`${bucket}/objects`, object);
    if (items.length === 0) return;
    const keys = items.map(({ key }) => key);
    await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, async () => {
        for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
          await platform.remove(`${bucket}/objects/${key.split('/').map(encodeURIComponent).join('/')}`);
          removed += 1;
          if (removed % TOLD_EVERY === 0) tell(`  ${removed} objects`);
        }
      }),
    );
  }
}
