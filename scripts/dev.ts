import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '#server/options.ts';
import { printBanner, waitUntilHealthy, withFreePort } from '#server/start-up.ts';
import { serviceVariables } from '#server/variables.ts';
import { buildAssets } from './build.ts';
import { ensureDevVars } from './dev-vars.ts';
import { writeReleaseNote } from './local-state/release-note.ts';
import { requireKnownSchema } from './local-state/schema.ts';
import { takeState } from './state-lock.ts';
import { startWrangler, wrangler } from './wrangler.ts';

// `npm run dev` starts wrangler's development server with the same state as `npm start`. It reloads when a
// file changes and runs all Workers in one process. It is meant for developers of this project.

const options = await withFreePort(readOptions({ environment: process.env }));
if (!(await takeState(options.stateDir))) {
  console.error(
    `The state folder ${options.stateDir} is in use by another Sluice. Choose another folder: STATE_DIR=… npm run dev`,
  );
  process.exit(1);
}
await requireKnownSchema(options.stateDir);
buildAssets();
const secrets = ensureDevVars(options.secretsFile);
const persist = ['--persist-to', options.stateDir];
wrangler('d1', 'migrations', 'apply', 'DB', '--local', ...persist);
writeReleaseNote(options.stateDir);

// Variables are passed in a file that only its owner can read, because every user can read command lines.
const folder = mkdtempSync(join(tmpdir(), 'sluice-dev-'));
const variablesFile = join(folder, 'variables.env');
const environment = { LOG_LEVEL: secrets.LOG_LEVEL ?? 'info', ...process.env };
const variables = serviceVariables(environment, secrets, options);
const lines = Object.entries(variables).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
writeFileSync(variablesFile, lines.join(''), { mode: 0o600 });
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const service = startWrangler(
  'dev',
  ...(process.env.SERVICE_ENTRY ? [process.env.SERVICE_ENTRY] : []),
  ...[
    '-c',
    'wrangler.toml',
    '-c',
    process.env.PARSER_CONFIG ?? 'parser/wrangler.toml',
    '-c',
    'ocr/wrangler.toml',
  ],
  ...['--local', '--ip', options.host, '--port', String(options.port)],
  ...['--env-file', variablesFile, '--show-interactive-dev-session=false'],
  ...persist,
);
for (const stream of [service.stdout!, service.stderr!]) stream.pipe(process.stdout);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal));
service.on('exit', (code) => process.exit(code ?? 0));
// Watches the parent process, which may end without sending a signal.
const parent = process.ppid;
setInterval(() => process.ppid === parent || service.kill('SIGTERM'), 1000).unref();
await waitUntilHealthy(options);
printBanner(options, process.env, variables);
