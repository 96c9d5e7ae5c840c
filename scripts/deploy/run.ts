import { z } from 'zod';
import { listMigrations } from '../migrations/landed.ts';
import { accountOf, tokenOf } from './account.ts';
import type { Operator } from './ask.ts';
import { ROLES, type Wanted, type WorkerRole, wantedBy, writeConfigs } from './configs.ts';
import { createMissing, namedSubdomain } from './create.ts';
import { type Existing, existingOf } from './existing.ts';
import { DeployFailure } from './failures.ts';
import { unwellAfter } from './health.ts';
import { type Installation, InstallationFile } from './installation.ts';
import type { DeployOptions } from './options.ts';
import { linesOf, type Plan, planOf } from './plan.ts';
import { Platform } from './platform.ts';
import { readRelease } from './release.ts';
import { madeAtRandom } from './secrets.ts';
import { type Access, applyMigrations, hashOfUpload, upload } from './upload.ts';
import { wayBack } from './way-back.ts';

export interface Surroundings {
  operator: Operator | undefined;
  tell: (text: string) => void;
}

/** Where clients reach what stands under workers.dev or a domain of the account. */
const addressOf = ({ name, domain }: Installation, subdomain: string | undefined) =>
  `https://${domain ?? `${name}.${subdomain}.workers.dev`}`;

/** Brings an account to what the installation wants. Whatever stopped a run, the next one goes on from there. */
export async function deploy(
  options: DeployOptions,
  { operator, tell }: Surroundings,
  build: () => void,
): Promise<void> {
  const file = new InstallationFile(options.installation);
  const known = file.read();
  refuseOtherNames(known, options);
  const token = await tokenOf(operator);
  const platform = new Platform(token);
  const account = await accountOf(platform, known?.account_id ?? options.account, operator);
  const installation = withOptions(known ?? { name: options.name ?? 'sluice', account_id: account }, options);

  let wanted = wantedBy(installation);
  const existing = await existingOf(platform, account, wanted);
  if (existing.database !== undefined) installation.database_id ??= existing.database;
  // Somebody has the first key of what is taken over.
  const isAdopted = known === undefined && existing.workers.get('service')?.has('BOOTSTRAP_API_KEY');
  if (isAdopted) Object.assign(installation, { secrets_set: true, first_key_shown: true });
  build();
  wanted = wantedBy(installation);
  const migrations = listMigrations(wanted.migrations);
  const hashes = hashesOf(wanted, writeConfigs(wanted), existing, installation);
  const plan = planOf({ wanted, existing, known, migrations, hashes }, options.wishes);
  if (plan.refusals.length > 0) throw new DeployFailure(plan.refusals.join('\n'));
  const lines = linesOf(plan, { wanted, existing });
  const release = readRelease();
  const deployed = existing.workers.size > 0 ? known?.release : undefined;
  const back = wayBack({ folder: wanted.migrations, ...plan }, release, deployed);
  if (back) tell(back);
  if (options.dryRun) {
    return tell(
      lines.length > 0 ? ['Would', ...lines.map((line) => `  ${line}`)].join('\n') : 'Nothing differs.',
    );
  }
  const subdomain = plan.subdomain ? await namedSubdomain(options.subdomain, operator) : existing.subdomain;
  // From here on what bears the names is this installation's, also for a run after an interrupted one.
  file.write(installation);
  const keep = (change: Partial<Installation>) => file.write(Object.assign(installation, change));

  await createMissing(platform, { installation, plan, wanted, subdomain, tell, keep });
  wanted = wantedBy(installation);
  const access = { token, account };
  const files = writeConfigs(wanted);
  if (plan.migrations.length > 0) {
    tell(`Applying ${plan.migrations.join(', ')}`);
    applyMigrations(access, files.service);
  }
  const url = installation.url_chosen ? installation.url! : addressOf(installation, subdomain);
  keep({ url });
  uploadAll({ access, wanted, files, plan, installation, keep, tell });
  await showFirstKey(platform, { installation, keep, tell });
  keep({ release: release.release });

  const unwell = await unwellAfter(url, options.waitSeconds);
  if (unwell) throw new DeployFailure(UNWELL(url, unwell));
  const outcome = lines.length > 0 ? 'Sluice is deployed.' : 'Nothing differed; Sluice is well.';
  tell(`\n  ${outcome}\n\n  Base URL   ${url}\n  Console    ${url}/console/\n  API docs   ${url}/docs`);
}

const UNWELL = (url: string, said: string) => `All is deployed, but ${url}/health is not well: ${said}
A new address may take some minutes to be known: run npm run deploy again, which then only waits. A check that goes on
failing is told of by npx wrangler tail <Worker>; docs/operations.md, "When /health stays unwell", has the usual causes.`;

function refuseOtherNames(
  known: Installation | undefined,
  { name, account, installation }: DeployOptions,
): void {
  if (known && name && name !== known.name) {
    throw new DeployFailure(
      `${installation} is the installation ${known.name}. Another one needs a file of its own: --installation ${name}.json`,
    );
  }
  if (known && account && account !== known.account_id) {
    throw new DeployFailure(
      `${installation} is in the account ${known.account_id}; give another --installation.`,
    );
  }
}

function withOptions(installation: Installation, { domain, url, vectorize }: DeployOptions): Installation {
  return {
    ...installation,
    ...(domain && { domain, url_chosen: false }),
    ...(url && { url, url_chosen: true }),
    ...(vectorize.length > 0 && {
      vectorize: [...new Set([...(installation.vectorize ?? []), ...vectorize])],
    }),
  };
}

/** Only of Workers that may be as they should be; bundling takes seconds. */
function hashesOf(
  { configs }: Wanted,
  files: Record<WorkerRole, string>,
  existing: Existing,
  { workers }: Installation,
): Partial<Record<WorkerRole, string>> {
  const compared = ROLES.filter((role) => existing.workers.has(role) && workers?.[configs[role].name]);
  return Object.fromEntries(compared.map((role) => [role, hashOfUpload(configs[role], files[role])]));
}

interface Uploads {
  access: Access;
  wanted: Wanted;
  files: Record<WorkerRole, string>;
  plan: Plan;
  installation: Installation;
  keep: (change: Partial<Installation>) => void;
  tell: (text: string) => void;
}

function uploadAll({ access, wanted, files, plan, installation, keep, tell }: Uploads): void {
  for (const role of plan.uploads) {
    const config = wanted.configs[role];
    tell(`Uploading ${config.name}`);
    const secrets = role === 'service' ? madeAtRandom(plan.secrets) : {};
    const hash = upload(access, config, files[role], secrets);
    const { BOOTSTRAP_API_KEY: key } = secrets;
    // Before anything else can go wrong: nobody can read it anywhere again.
    if (key) tell(firstKey(key));
    keep({
      workers: { ...installation.workers, [config.name]: hash },
      ...(role === 'service' && { secrets_set: true, ...(key && { first_key_shown: true }) }),
    });
  }
}

const firstKey = (key: string) => `\n  First API key, shown this once: ${key}\n`;

/** A run that was interrupted between setting the first key and showing it leaves one that nobody knows. */
async function showFirstKey(
  platform: Platform,
  { installation, keep, tell }: Pick<Uploads, 'installation' | 'keep' | 'tell'>,
): Promise<void> {
  if (installation.first_key_shown) return;
  const { account_id, name } = installation;
  const [key] = Object.values(madeAtRandom(['BOOTSTRAP_API_KEY']));
  const path = `/accounts/${account_id}/workers/scripts/${name}/secrets`;
  const body = { name: 'BOOTSTRAP_API_KEY', text: key, type: 'secret_text' };
  await platform.send('PUT', path, body, z.unknown());
  tell(firstKey(key!));
  keep({ first_key_shown: true });
}
