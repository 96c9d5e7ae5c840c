import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
/** As a URL: what is loaded before wrangler's own code. */
const CLOSED_DOORS = new URL('./closed-doors.ts', import.meta.url).href;
/** Found when it is first used: a server without sources runs without wrangler. */
const findWrangler = () => join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js');

/**
 * Nothing leaves the machine: no metrics, no look-up of new versions. And nothing is traced: a span for every
 * statement of every object takes as long as the statements do.
 */
const QUIET = {
  X_LOCAL_OBSERVABILITY: 'false',
  // Its explorer would answer SQL over every tenant's rows, without a key, on the service's own port.
  X_LOCAL_EXPLORER: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
};

const env = { ...process.env, ...QUIET };

/** Runs a wrangler command to its end; its output is shown only when it fails. */
export function wrangler(...args: string[]): string {
  const result = runWrangler(args);
  if (result.status !== 0) {
    process.stderr.write(result.stdout + result.stderr);
    throw new Error(`wrangler ${args[0]} failed`);
  }
  return result.stdout;
}

/** The same for callers that say themselves what went wrong; `variables` are added to the environment. */
export function runWrangler(args: readonly string[], variables: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [findWrangler(), ...args], {
    env: { ...env, CI: 'true', ...variables },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/**
 * Starts a wrangler command and leaves it running. The variables of a development server's first Worker come from its
 * `--env-file`; its other Workers take theirs from the environment.
 */
export function startWrangler(...args: string[]): ChildProcess {
  const shared = { ...env, CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true' };
  return spawn(process.execPath, ['--import', CLOSED_DOORS, findWrangler(), ...args], {
    env: shared,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
