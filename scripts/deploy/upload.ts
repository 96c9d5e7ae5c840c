import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWrangler } from '../wrangler.ts';
import { hashWorker } from './bundle.ts';
import type { WorkerConfig } from './configs.ts';
import { wranglerFailure } from './failures.ts';

/** Cloudflare credentials that are passed to wrangler. */
export interface Access {
  token: string;
  account: string;
}

/** Environment variables that wrangler would prefer to the given credentials. They are set to empty texts. */
const NO_OTHER_CREDENTIALS = { CLOUDFLARE_API_KEY: '', CLOUDFLARE_ENV: '' };

function run(what: string, args: readonly string[], access?: Access): void {
  const { status, stdout, stderr } = runWrangler(args, {
    ...NO_OTHER_CREDENTIALS,
    ...(access && { CLOUDFLARE_API_TOKEN: access.token, CLOUDFLARE_ACCOUNT_ID: access.account }),
  });
  if (status !== 0) throw wranglerFailure(what, stdout + stderr);
}

export function applyMigrations(access: Access, config: string): void {
  run('Migrating the database', ['d1', 'migrations', 'apply', 'DB', '--remote', '-c', config], access);
}

/** Bundles a Worker without uploading it and returns the hash of the upload. */
export function hashUpload(config: WorkerConfig, file: string): string {
  return withTemporaryFolder((folder) => {
    run(`Bundling ${config.name}`, ['deploy', '--dry-run', '-c', file, '--outdir', folder]);
    return hashWorker(config, folder);
  });
}

/**
 * Uploads a Worker and returns the hash of the upload. Missing secrets are part of the upload, so the Worker
 * never runs without them. Existing secrets are kept. While wrangler runs, the new secrets are in a file that
 * only this user can read.
 */
export function upload(
  access: Access,
  config: WorkerConfig,
  file: string,
  secrets: Record<string, string>,
): string {
  return withTemporaryFolder((folder) => {
    const bundle = join(folder, 'bundle');
    const args = ['deploy', '-c', file, '--outdir', bundle];
    if (Object.keys(secrets).length > 0) {
      const secretsFile = join(folder, 'secrets.json');
      writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
      args.push('--secrets-file', secretsFile);
    }
    run(`Uploading ${config.name}`, args, access);
    return hashWorker(config, bundle);
  });
}

/** Calls `use` with the path of a temporary folder and then deletes the folder, even if the call throws. */
function withTemporaryFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-upload-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
