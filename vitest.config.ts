import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { compileMessages } from './console/messages-plugin.ts';
import { build } from './scripts/build.ts';
import { ocrWorker, parserWorker } from './scripts/build-workers.ts';
import { ensureDevVars } from './scripts/dev-vars.ts';
import { limitSnapshots } from './test/support/limit-snapshots.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { PATIENCE_MS } from './test/support/patience.ts';
import { answerPublic } from './test/support/public-answers.ts';
import { RunReporter } from './test/support/run-reporter.ts';
import { lookedUp } from './test/vendors/hosts.ts';
import { SESSION_HEADER } from './test/vendors/protocol.ts';

// Here and not by the first service that a test starts: two may be the first.
await build();
ensureDevVars();

/** Tests of the service: its Workers, database, bucket, queues and objects. The rest needs none of them. */
const SERVICE_TESTS = [
  'test/api/**',
  'test/db/**',
  'test/services/**',
  'test/queues/**',
  'test/durable-objects/**',
  'test/parser/**',
  'test/work/**',
  // Tests of chat, reading and retrieval that need a database and a bucket.
  'test/{chat,reading,retrieval}/service/**',
].map((folder) => `${folder}/*.test.ts`);
const PROCESS_TESTS = ['test/process/**/*.test.ts', 'test/vendors/*.test.ts'];
/** Tests that measure CPU time. They need a clock that runs while code computes, but no service. */
const COMPUTING_TESTS = ['test/process/linear-*.test.ts'];
const SLOW_TESTS = '**/*.slow.test.ts';

/**
 * Kind of tests to run, which scripts/test.ts sets: `usual` leaves out the slow ones, and `slow` runs only these. All
 * tests can be named if Vitest is started directly.
 */
const kind = process.env.TESTS ?? 'all';

/** Returns the files of a project, restricted to the kind of tests. */
function selectFiles(include: string[], exclude: string[] = []) {
  if (kind === 'usual') return { include, exclude: [...exclude, SLOW_TESTS] };
  if (kind === 'slow') {
    return { include: include.map((glob) => glob.replace(/\.test\.ts$/, '.slow.test.ts')), exclude };
  }
  return { include, exclude };
}

const seed = process.env.FUZZ_SEED;
const fuzz = {
  seed: seed === 'random' ? Math.trunc(Math.random() * 2 ** 31) : Number(seed ?? 20260314),
  times: Number(process.env.FUZZ_TIMES ?? 1),
};

/** Imports of `.wasm` give a module in Node too, as they do in a Worker. */
const wasmModules = {
  name: 'wasm-modules',
  enforce: 'pre' as const,
  resolveId(id: string, from?: string) {
    return id.endsWith('.wasm') && from ? `\0${createRequire(from).resolve(id)}.js` : undefined;
  },
  load(id: string) {
    if (!id.startsWith('\0') || !id.endsWith('.wasm.js')) return undefined;
    const bytes = readFileSync(id.slice(1, -'.js'.length)).toString('base64');
    return `export default new WebAssembly.Module(Buffer.from('${bytes}', 'base64'));`;
  },
};

/**
 * Answers the requests that the runtime sends to others. Names that are looked up exist only if they belong to a vendor
 * of the tests. Only requests that a test sends to the server of the vendors reach it.
 */
async function nowhere(request: Request): Promise<Response> {
  if (!request.headers.has(SESSION_HEADER)) {
    const url = new URL(request.url);
    return url.searchParams.has('list-type') ? answerPublic(request.url) : Response.json(lookedUp(url));
  }
  const { method, url } = request;
  const bytes = await request.arrayBuffer();
  const headers = Object.fromEntries(request.headers);
  return fetch(url, { method, headers, ...(bytes.byteLength > 0 && { body: bytes }), redirect: 'manual' });
}

/**
 * A limit ends what hangs, and tells nothing about speed: no stall of a machine that runs other things is to reach it.
 */
const common = {
  testTimeout: 5 * 60_000,
  hookTimeout: 5 * 60_000,
  expect: { poll: { timeout: PATIENCE_MS } },
};

/**
 * Retries for tests with real processes and a browser, which a stall of the machine can disturb. `npm test` lists the
 * tests that needed a retry, and fails if they are more than three. Tests of the service are not retried: a bug that
 * deletes things of others leaves nothing for a second run to notice.
 */
const retry = 1;

/** Number of runtimes that share the files of a project. One alone would leave a core idle while it waits. */
const WORKERS = 2;

/**
 * The runtime of the tests resolves the name of a package to a file of the same name beside the importing file. The
 * driver of MongoDB has such a file, so the driver is bundled into one file.
 */
const deps = {
  optimizer: {
    ssr: {
      enabled: true,
      include: ['mongodb'],
      rolldownOptions: { external: [...builtinModules, /^node:/], platform: 'neutral' as const },
    },
  },
};

export default defineConfig({
  test: {
    silent: 'passed-only',
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new RunReporter()],
    provide: { fuzz, recordExamples: process.env.RECORD_EXAMPLES === '1' },
    projects: [
      {
        plugins: [
          compileMessages(),
          cloudflareTest({
            miniflare: {
              compatibilityDate: '2026-10-01',
              compatibilityFlags: ['nodejs_compat'],
              modulesRules: [
                { type: 'CompiledWasm', include: ['**/*.wasm'] },
                { type: 'Data', include: ['**/*.ttf'] },
              ],
            },
          }),
          limitSnapshots(),
        ],
        test: {
          ...common,
          deps,
          name: 'modules',
          ...selectFiles(['test/**/*.test.ts'], [...SERVICE_TESTS, ...PROCESS_TESTS]),
          globalSetup: [
            'test/process/loopback.ts',
            'test/vendors/server.ts',
            'test/vendors/mongodb/server.ts',
            'test/databases/relational.ts',
          ],
          setupFiles: ['test/support/seed.ts'],
          // Modules keep no state between tests, and a new worker a file costs most of the run's time.
          isolate: false,
          maxWorkers: WORKERS,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              workers: [ocrWorker(), parserWorker()],
              // The tests of the service reach nothing outside the machine.
              outboundService: nowhere,
              // The service itself reaches the engine through the parser only.
              serviceBindings: { TEST_OCR_ENGINE: 'sluice-ocr' },
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations('migrations'),
                BOOTSTRAP_API_KEY: 'slc_bootstrap_key_of_the_tests_000',
                SESSION_SECRET: 'a session secret that only the tests use',
                ENCRYPTION_KEY: `k1:${'A'.repeat(43)}=`,
                MAX_FILE_MIB: '60',
                RATE_LIMIT_BOOTSTRAP_KEY: 'false',
                // All tests share one address, so these limits are off. Tests of rate limits set their own.
                RATE_LIMIT_SIGN_INS: '0',
                RATE_LIMIT_WRONG_KEYS: '0',
                // Tests that read metrics have them kept; the others wait for no writes of counts.
                METRICS_SECONDS: '0',
                // The limit is so low that shards remove each other from memory.
                SEARCH_MEMORY_MIB: '8',
                // Only tests that bind such an index see it used.
                VECTORIZE_FROM_CHUNKS: '2',
              },
            },
          })),
          limitSnapshots(),
        ],
        test: {
          ...common,
          deps,
          name: 'service',
          ...selectFiles(SERVICE_TESTS),
          globalSetup: [
            'test/vendors/server.ts',
            'test/vendors/mongodb/server.ts',
            'test/databases/relational.ts',
          ],
          setupFiles: ['test/support/seed.ts', 'test/support/begin-empty.ts'],
          // Loading the service again for each file takes longer than its tests. Each test creates its own tenant.
          isolate: false,
          maxWorkers: WORKERS,
        },
      },
      {
        plugins: [wasmModules],
        test: {
          ...common,
          retry,
          name: 'computing',
          ...selectFiles(COMPUTING_TESTS),
          testTimeout: 15 * 60_000,
          maxWorkers: 1,
        },
      },
      {
        // The service as a process of its own, started and killed from outside; and what needs a clock that runs.
        plugins: [wasmModules],
        test: {
          ...common,
          retry,
          name: 'process',
          ...selectFiles(PROCESS_TESTS, COMPUTING_TESTS),
          globalSetup: ['test/process/shared-service.ts'],
          testTimeout: 15 * 60_000,
          hookTimeout: 15 * 60_000,
          // Most of their time they wait, for starts, leases and retries.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The console in a real browser, before the service as a process of its own.
        test: {
          ...common,
          retry,
          name: 'console',
          ...selectFiles(['console/test/*.test.ts']),
          globalSetup: ['test/process/shared-service.ts'],
          testTimeout: 15 * 60_000,
          hookTimeout: 15 * 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
