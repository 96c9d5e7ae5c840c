import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWrangler } from '../wrangler.ts';
import { hashWorker, listBundle } from './bundle.ts';
import { findBundle, recordBundle } from './bundle-record.ts';
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

/**
 * Returns the hash that an upload of a Worker would have. Bundles the Worker, unless its sources are those of the last
 * bundle.
 */
export function hashUpload(config: WorkerConfig, file: string): string {
  const known = findBundle(config, file);
  if (known) return hashWorker(config, known);
  return withTemporaryFolder((folder) => deployWorker({ config, file, folder }, ['--dry-run']));
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
    if (Object.keys(secrets).length === 0) return deployWorker({ config, file, folder }, [], access);
    const secretsFile = join(folder, 'secrets.json');
    writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
    return deployWorker({ config, file, folder }, ['--secrets-file', secretsFile], access);
  });
}

/** Runs `wrangler deploy`, records the bundle, and returns the hash of the upload. */
function deployWorker(
  { config, file, folder }: { config: WorkerConfig; file: string; folder: string },
  options: readonly string[],
  access?: Access,
): string {
  const start = Date.now();
  const output = join(folder, 'bundle');
  const metafile = join(folder, 'inputs.json');
  const args = ['deploy', '-c', file, '--outdir', output, '--metafile', metafile, ...options];
  run(`${access ? 'Uploading' : 'Bundling'} ${config.name}`, args, access);
  const bundle = listBundle(output);
  const hash = hashWorker(config, bundle);
  recordBundle({ config, file, bundle, hash }, metafile, start);
  return hash;
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
