import { randomBytes } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { beginWork, fill, until } from '#test/process/recorded/contents.ts';
import { Neighbours } from '#test/process/recorded/neighbours.ts';
import { packState, upgradesIn } from '#test/process/recorded/packed-state.ts';
import { askAll } from '#test/process/recorded/questions.ts';
import {
  expectedFile,
  type Recorded,
  readIngestRevision,
  stateFile,
} from '#test/process/recorded/recorded.ts';
import { apiKey, Service } from '#test/process/service.ts';

/** Types of queue messages. At least one message of each type must be recorded. */
const TYPES = ['sync-pipeline', 'ingest-file', 'extract', 'classify', 'parse', 'deliver-webhook'];

/** Builds a Worker entry that wraps the service's entry and reports each queue message to `url`. */
const buildEntry = (url: string) => `import service from '../src/index.ts';
export * from '../src/index.ts';
export default {
  ...service,
  async queue(batch, env, execution) {
    for (const { body } of batch.messages) {
      await fetch('${url}', { method: 'POST', body: JSON.stringify(body) });
    }
    return service.queue(batch, env, execution);
  },
};
`;

const USAGE = `node scripts/record-state.ts <folder>

Records the stored data of a release for the upgrade tests. <folder> is a checkout of the release with installed
dependencies and without .dev.vars, for example from "git worktree add ../release v1.2.3 && npm ci". The result is
written to test/fixtures/releases/<release>/.`;

const { positionals } = parseArgs({ allowPositionals: true });
if (positionals.length !== 1) {
  console.error(USAGE);
  process.exit(1);
}
const folder = resolve(positionals[0]!);
const readText = (file: string) => readFileSync(join(folder, file), 'utf8');
const release = (JSON.parse(readText('package.json')) as { version: string }).version;

const encryptionKey = `recorded-${release.replaceAll('.', '-')}:${randomBytes(32).toString('base64')}`;
writeFileSync(join(folder, '.dev.vars'), `ENCRYPTION_KEY="${encryptionKey}"\n`, { flag: 'wx' });

const neighbours = new Neighbours();
await neighbours.start();
const entryFile = join('dist', 'recording-entry.ts');
mkdirSync(join(folder, 'dist'), { recursive: true });
writeFileSync(join(folder, entryFile), buildEntry(neighbours.at('queue')));
const service = new Service(
  { ALLOW_PRIVATE_ADDRESSES: 'true', SERVICE_ENTRY: entryFile, METRICS_SECONDS: '1' },
  // Releases before 0.3.0 start with `scripts/start.ts`.
  { folder, script: existsSync(join(folder, 'server/start.ts')) ? 'server/start.ts' : 'scripts/start.ts' },
);
try {
  await service.start();
  const ids = await fill(service, neighbours);
  const answers = await askAll(service, ids);
  await until(
    async () => neighbours.delivered.length,
    (count) => count > 0,
  );
  await beginWork(service, neighbours, ids);
  await service.kill();
  const packed = packState(service.state);
  const recorded: Recorded = {
    ...{ release, recordedAt: Date.now(), encryptionKey, apiKey: apiKey(folder) },
    migrations: globSync('*.sql', { cwd: join(folder, 'migrations') }).toSorted(),
    classes: [...readText('wrangler.toml').matchAll(/^tag = "(\w+)"/gm)].at(-1)![1]!,
    upgrades: upgradesIn(service.state),
    ingestRevision: readIngestRevision(folder),
    ...{ ids, answers, messages: TYPES.map(requireMessage) },
  };
  mkdirSync(dirname(stateFile(release)), { recursive: true });
  writeFileSync(stateFile(release), packed);
  writeFileSync(expectedFile(release), `${JSON.stringify(recorded, null, 2)}\n`);
  console.log(`${stateFile(release)}: ${Math.ceil(packed.length / 1024)} KiB`);
} finally {
  await service.end();
  await neighbours.stop();
  rmSync(join(folder, entryFile), { force: true });
  rmSync(join(folder, '.dev.vars'));
}

function requireMessage(type: string): Record<string, unknown> {
  const message = (neighbours.messages as Record<string, unknown>[]).find((each) => each.type === type);
  if (!message) throw new Error(`no message of the type ${type} was recorded`);
  return message;
}
