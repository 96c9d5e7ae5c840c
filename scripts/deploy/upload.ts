import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWrangler } from '../wrangler.ts';
import { hashOf } from './bundle.ts';
import type { WorkerConfig } from './configs.ts';
import { wranglerFailure } from './failures.ts';

/** With what wrangler is let into the account. */
export interface Access {
  token: string;
  account: string;
}

/** A global key or an environment of the operator's own would be taken before what is given here. */
const NOT_TAKEN = { CLOUDFLARE_API_KEY: '', CLOUDFLARE_ENV: '' };

function run(what: string, args: readonly string[], access?: Access): void {
  const { status, stdout, stderr } = runWrangler(args, {
    ...NOT_TAKEN,
    ...(access && { CLOUDFLARE_API_TOKEN: access.token, CLOUDFLARE_ACCOUNT_ID: access.account }),
  });
  if (status !== 0) throw wranglerFailure(what, stdout + stderr);
}

export function applyMigrations(access: Access, config: string): void {
  run('Migrating the database', ['d1', 'migrations', 'apply', 'DB', '--remote', '-c', config], access);
}

/** The hash of what the upload of a Worker would consist of; bundles it and sends nothing. */
export function hashOfUpload(config: WorkerConfig, file: string): string {
  return inFolder((folder) => {
    run(`Bundling ${config.name}`, ['deploy', '--dry-run', '-c', file, '--outdir', folder]);
    return hashOf(config, folder);
  });
}

/**
 * Uploads a Worker; gives the hash of what was sent. Its missing secrets travel with it, so that it never runs without
 * them; those that it has stay. They lie in a file that only this user can read, for as long as wrangler runs.
 */
export function upload(
  access: Access,
  config: WorkerConfig,
  file: string,
  secrets: Record<string, string>,
): string {
  return inFolder((folder) => {
    const bundle = join(folder, 'bundle');
    const args = ['deploy', '-c', file, '--outdir', bundle];
    if (Object.keys(secrets).length > 0) {
      const secretsFile = join(folder, 'secrets.json');
      writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
      args.push('--secrets-file', secretsFile);
    }
    run(`Uploading ${config.name}`, args, access);
    return hashOf(config, bundle);
  });
}

/** A temporary one, gone at the end whatever happens. */
function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-upload-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
