import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
/** URL of patch-wrangler.ts, which is loaded before wrangler's own code. */
const PATCHES = new URL('./patch-wrangler.ts', import.meta.url).href;
/**
 * Returns the path of wrangler's script. It is resolved only when needed, because an assembled server runs
 * without wrangler.
 */
const findWrangler = () => join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js');

/**
 * Environment variables that turn off wrangler's metrics and version checks, so that nothing leaves the
 * machine. Tracing is also off, because tracing an SQL statement takes as long as the statement itself.
 */
const QUIET = {
  X_LOCAL_OBSERVABILITY: 'false',
  // Miniflare's explorer would answer SQL queries over all tenants' rows on the service's port, without an
  // API key.
  X_LOCAL_EXPLORER: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
};

const env = { ...process.env, ...QUIET };

/** Runs a wrangler command until it ends. Its output is shown only if it fails. */
export function wrangler(...args: string[]): string {
  const result = runWrangler(args);
  if (result.status !== 0) {
    process.stderr.write(result.stdout + result.stderr);
    throw new Error(`wrangler ${args[0]} failed`);
  }
  return result.stdout;
}

/**
 * Runs a wrangler command and returns its result, for callers that report errors themselves. `variables` are
 * added to the environment.
 */
export function runWrangler(args: readonly string[], variables: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [findWrangler(), ...args], {
    env: { ...env, CI: 'true', ...variables },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/**
 * Starts a wrangler command and leaves it running. The first Worker of a development server takes its
 * variables from `--env-file`, its other Workers from the environment.
 */
export function startWrangler(...args: string[]): ChildProcess {
  const shared = { ...env, CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true' };
  return spawn(process.execPath, ['--import', PATCHES, findWrangler(), ...args], {
    env: shared,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
