import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '#server/options.ts';
import { printBanner, untilHealthy, withFreePort } from '#server/start-up.ts';
import { serviceVariables } from '#server/variables.ts';
import { buildAssets } from './build.ts';
import { ensureDevVars } from './dev-vars.ts';
import { writeReleaseNote } from './local-state/release-note.ts';
import { requireKnownSchema } from './local-state/schema.ts';
import { takeState } from './state-lock.ts';
import { startWrangler, wrangler } from './wrangler.ts';

// `npm run dev`: wrangler's development server over the same state as `npm start`. It reloads when a file changes, and
// runs all Workers in one process. For people who change the code.

const options = await withFreePort(readOptions({ environment: process.env }));
if (!(await takeState(options.stateDir))) {
  console.error(
    `The state in ${options.stateDir} is in use by another Sluice. Choose another: STATE_DIR=… npm run dev`,
  );
  process.exit(1);
}
await requireKnownSchema(options.stateDir);
buildAssets();
const secrets = ensureDevVars(options.secretsFile);
const persist = ['--persist-to', options.stateDir];
wrangler('d1', 'migrations', 'apply', 'DB', '--local', ...persist);
writeReleaseNote(options.stateDir);

// Variables travel in a file that only its owner can read: everybody can read a command line.
const folder = mkdtempSync(join(tmpdir(), 'sluice-dev-'));
const variablesFile = join(folder, 'variables.env');
const variables = { LOG_LEVEL: 'info', ...serviceVariables(process.env, secrets, options) };
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
// Whoever started this may be gone without a signal.
const parent = process.ppid;
setInterval(() => process.ppid === parent || service.kill('SIGTERM'), 1000).unref();
await untilHealthy(options);
printBanner(options, process.env, variables);
