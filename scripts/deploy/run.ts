import { z } from 'zod';
import { listMigrations } from '../migrations/landed.ts';
import { requireToken, resolveAccountId } from './account.ts';
import { hasOtherConfig } from './bundle-record.ts';
import { buildDesiredState, type DesiredState, ROLES, type WorkerRole, writeConfigs } from './configs.ts';
import { createMissing, requireSubdomain } from './create.ts';
import { type Existing, readExisting } from './existing.ts';
import { DeployFailure } from './failures.ts';
import { waitForHealth } from './health.ts';
import { type Installation, InstallationFile } from './installation.ts';
import type { OperatorPrompt } from './operator-prompt.ts';
import type { DeployOptions } from './options.ts';
import { createPlan, type DeployFlags, describePlan, listRefusals, mustUpload, type Plan } from './plan.ts';
import { Platform } from './platform.ts';
import { readRelease } from './release.ts';
import { describeRollback } from './rollback.ts';
import { generateSecrets } from './secrets.ts';
import { type Access, applyMigrations, hashUpload, upload } from './upload.ts';

export interface CommandContext {
  operator: OperatorPrompt | undefined;
  print: (text: string) => void;
}

/** Returns the URL of the service on workers.dev or on a domain of the account. */
const buildUrl = ({ name, domain }: Installation, subdomain: string | undefined) =>
  `https://${domain ?? `${name}.${subdomain}.workers.dev`}`;

/**
 * Brings the account to the desired state of the installation. After an interruption, the next run continues.
 */
export async function deploy(
  options: DeployOptions,
  { operator, print }: CommandContext,
  build: () => void,
): Promise<void> {
  const file = new InstallationFile(options.installation);
  const known = file.read();
  refuseOtherNames(known, options);
  const token = await requireToken(operator);
  const platform = new Platform(token);
  const account = await resolveAccountId(platform, known?.account_id ?? options.account, operator);
  const installation = withOptions(known ?? { name: options.name ?? 'sluice', account_id: account }, options);

  let wanted = buildDesiredState(installation);
  const existing = await readExisting(platform, account, wanted);
  if (existing.database !== undefined) installation.database_id ??= existing.database;
  // The first key of an existing installation is already known to its operator.
  const isAdopted = known === undefined && existing.workers.get('service')?.has('BOOTSTRAP_API_KEY');
  if (isAdopted) Object.assign(installation, { secrets_set: true, first_key_shown: true });
  wanted = buildDesiredState(installation);
  const migrations = listMigrations(wanted.migrations);
  const refusals = listRefusals({ wanted, existing, known, migrations }, options.wishes);
  if (refusals.length > 0) throw new DeployFailure(refusals.join('\n'));
  build();
  const hashes = hashUploads(wanted, existing, installation, options.wishes);
  const plan = createPlan({ wanted, existing, known, migrations, hashes }, options.wishes);
  const lines = describePlan(plan, { wanted, existing });
  const release = readRelease();
  const deployed = existing.workers.size > 0 ? known?.release : undefined;
  const rollback = describeRollback({ folder: wanted.migrations, ...plan }, release, deployed);
  if (rollback) print(rollback);
  if (options.dryRun) {
    return print(
      lines.length > 0
        ? ['Planned steps:', ...lines.map((line) => `  ${line}`)].join('\n')
        : 'Everything is up to date.',
    );
  }
  const subdomain = plan.subdomain ? await requireSubdomain(options.subdomain, operator) : existing.subdomain;
  // The resources with these names belong to this installation from now on, even if this run is interrupted.
  file.write(installation);
  const save = (change: Partial<Installation>) => file.write(Object.assign(installation, change));

  await createMissing(platform, { installation, plan, wanted, subdomain, print, save });
  wanted = buildDesiredState(installation);
  const access = { token, account };
  const files = writeConfigs(wanted);
  if (plan.migrations.length > 0) {
    print(`Applying migrations: ${plan.migrations.join(', ')}`);
    applyMigrations(access, files.service);
  }
  const url = installation.url_chosen ? installation.url! : buildUrl(installation, subdomain);
  save({ url });
  uploadAll({ access, wanted, files, plan, installation, save, print });
  await showFirstKey(platform, { installation, save, print });
  save({ release: release.release });

  const problem = await waitForHealth(url, options.waitSeconds);
  if (problem) throw new DeployFailure(describeUnhealthy(url, problem));
  const outcome = lines.length > 0 ? 'Sluice is deployed.' : 'Everything was up to date. Sluice is healthy.';
  print(`\n  ${outcome}\n\n  Base URL   ${url}\n  Console    ${url}/console/\n  API docs   ${url}/docs`);
}

const describeUnhealthy = (
  url: string,
  problem: string,
) => `Everything is deployed, but ${url}/health reports a problem: ${problem}
A new address can take some minutes to become available. Run npm run deploy again, which then only waits. If a check keeps
failing, npx wrangler tail <Worker> shows its errors, and docs/how-to/deploy-to-cloudflare.md lists the usual causes.`;

function refuseOtherNames(
  known: Installation | undefined,
  { name, account, installation }: DeployOptions,
): void {
  if (known && name && name !== known.name) {
    throw new DeployFailure(
      `${installation} belongs to the installation ${known.name}. Use another file for another installation: --installation ${name}.json`,
    );
  }
  if (known && account && account !== known.account_id) {
    throw new DeployFailure(
      `${installation} belongs to the account ${known.account_id}. Choose another file with --installation.`,
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

/** Computes hashes only for Workers that may be up to date, because bundling takes seconds. */
function hashUploads(
  wanted: DesiredState,
  existing: Existing,
  { workers }: Installation,
  wishes: DeployFlags,
): Partial<Record<WorkerRole, string>> {
  const { configs } = wanted;
  const files = writeConfigs(wanted);
  const mayBeCurrent = (role: WorkerRole) => {
    const uploaded = workers?.[configs[role].name];
    if (!uploaded || mustUpload(role, existing, wishes)) return false;
    return !hasOtherConfig(configs[role], files[role], uploaded);
  };
  const compared = ROLES.filter(mayBeCurrent);
  return Object.fromEntries(compared.map((role) => [role, hashUpload(configs[role], files[role])]));
}

interface Uploads {
  access: Access;
  wanted: DesiredState;
  files: Record<WorkerRole, string>;
  plan: Plan;
  installation: Installation;
  save: (change: Partial<Installation>) => void;
  print: (text: string) => void;
}

function uploadAll({ access, wanted, files, plan, installation, save, print }: Uploads): void {
  for (const role of plan.uploads) {
    const config = wanted.configs[role];
    print(`Uploading ${config.name}`);
    const secrets = role === 'service' ? generateSecrets(plan.secrets) : {};
    const hash = upload(access, config, files[role], secrets);
    const { BOOTSTRAP_API_KEY: key } = secrets;
    // The first API key is printed before any other step can fail, because the key cannot be read again.
    if (key) print(firstKey(key));
    save({
      workers: { ...installation.workers, [config.name]: hash },
      ...(role === 'service' && { secrets_set: true, ...(key && { first_key_shown: true }) }),
    });
  }
}

const firstKey = (key: string) => `\n  First API key, which is shown only now: ${key}\n`;

/**
 * Replaces and prints the first API key if an earlier run set a key but was interrupted before printing it.
 * Nobody knows such a key.
 */
async function showFirstKey(
  platform: Platform,
  { installation, save, print }: Pick<Uploads, 'installation' | 'save' | 'print'>,
): Promise<void> {
  if (installation.first_key_shown) return;
  const { account_id, name } = installation;
  const [key] = Object.values(generateSecrets(['BOOTSTRAP_API_KEY']));
  const path = `/accounts/${account_id}/workers/scripts/${name}/secrets`;
  const body = { name: 'BOOTSTRAP_API_KEY', text: key, type: 'secret_text' };
  await platform.send('PUT', path, body, z.unknown());
  print(firstKey(key!));
  save({ first_key_shown: true });
}
