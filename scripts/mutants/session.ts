import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestCase, TestRunResult, TestSpecification, TestSuite } from 'vitest/node';
import { createVitest } from 'vitest/node';
import { buildSchemata, type Mutant } from './schemata.ts';

// Process that runs the tests of a room with all mutants built in but inactive. It reads one order per line
// from stdin and answers with lines on stdout. A separate process can be killed if a mutant hangs.

export interface Plan {
  project: string;
  tests: string[];
  mutants: (Mutant & { id: number })[];
}

/**
 * Order to run test files with one mutant that is active from the start. With mutant 0, no mutant is active,
 * and the reply lists the mutants that the tests reach.
 */
export interface SingleRun {
  mutant: number;
  tests: string[];
}
/**
 * Runs a test file once per mutant in the same runtime. Mutant 0 runs it unchanged, to detect whether an
 * earlier mutant left something broken.
 */
export interface BatchRun {
  mutants: number[];
  test: string;
}
export type Order = SingleRun | BatchRun;

export type Reply =
  | { ready: true }
  /** Reply with the result of one mutant of a batch. */
  | { tested: number; outcome: Outcome }
  | { failed: string | null; outcome: Outcome; seconds: number; reached: number[] };

/** Result of a test run. A test that exceeded its time limit may only have been slow. */
export type Outcome = 'passed' | 'failed' | 'timed out';

const REPLY = '\u0001';
/** Message of the test runner for a test or hook that exceeded its time limit. */
const TIMEOUT_MESSAGE = /^(?:Test|Hook) timed out in \d+ms/;
const BATCHES = '.wrangler/mutants';
const send = (reply: Reply) => process.stdout.write(`${REPLY}${JSON.stringify(reply)}\n`);

const plan = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Plan;
const byFile = Map.groupBy(plan.mutants, ({ file }) => resolve(file));

const plantMutants = {
  name: 'mutants',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    const mutants = byFile.get(id.split('?')[0]!);
    return mutants && { code: buildSchemata(code, mutants), map: null };
  },
};

interface Project {
  plugins?: unknown[];
  test: { name: string; setupFiles?: string[] };
}
const config = (await import(resolve('vitest.config.ts'))) as {
  default: { test: { projects: Project[] } };
};
const project = config.default.test.projects.find(({ test }) => test.name === plan.project)!;

const reporter = {
  onTestSuiteResult(suite: TestSuite) {
    const tested = /^mutant (\d+)$/.exec(suite.name)?.[1];
    if (tested && suite.parent.type === 'module') {
      const tests = [...suite.children.allTests()];
      send({
        tested: Number(tested),
        outcome: suite.state() === 'failed' ? classifyFailure(tests) : 'passed',
      });
    }
  },
};
// Caching is turned off, because mutated code must not reach the next room or normal test runs.
const vitest = await createVitest(
  { config: false, watch: false, run: true, reporters: [reporter], silent: true, fsModuleCache: false },
  {
    test: {
      ...config.default.test,
      projects: [
        {
          ...project,
          plugins: [...(project.plugins ?? []), plantMutants],
          test: {
            ...project.test,
            fsModuleCache: false,
            setupFiles: ['scripts/mutants/setup.ts', ...(project.test.setupFiles ?? [])],
          },
        },
      ],
    },
  } as object,
);
provide(0);
const all = await vitest.globTestSpecifications(plan.tests);
let batches = 0;

function provide(mutant: number): void {
  vitest.provide('mutant' as never, mutant as never);
  for (const each of vitest.projects) each.provide('mutant' as never, mutant as never);
}

async function run(order: Order): Promise<Reply> {
  const start = performance.now();
  provide('mutant' in order ? order.mutant : 0);
  const files = 'mutant' in order ? listTestFiles(order) : [createBatch(order)];
  const runResult = await vitest.runTestSpecifications(files);
  // The result of Vitest also contains test files of earlier runs, which are removed here.
  const requested = new Set(files.map(({ moduleId }) => moduleId));
  const result = {
    ...runResult,
    testModules: runResult.testModules.filter(({ moduleId }) => requested.has(moduleId)),
  };
  if ('mutants' in order) rmSync(files[0]!.moduleId);
  const seconds = (performance.now() - start) / 1000;
  const failed = findFailure(result);
  const tests = result.testModules.flatMap((module) => [...module.children.allTests()]);
  return {
    failed,
    outcome: failed === null ? 'passed' : classifyFailure(tests),
    seconds,
    reached: listReached(tests),
  };
}

const listTestFiles = ({ tests }: SingleRun) =>
  all.filter(({ moduleId }) => tests.some((test) => resolve(test) === moduleId));

/** Writes a test file that loads the tests of another file once per mutant. */
function createBatch({ mutants, test }: BatchRun): TestSpecification {
  batches += 1;
  const file = resolve(BATCHES, `${process.pid}-${batches}.test.ts`);
  const loads = mutants.map((mutant, at) => {
    const source = JSON.stringify(`${resolve(test)}?turn=${batches}-${at}`);
    return `runWithMutant(${mutant}, () => import(${source}));`;
  });
  const helper = JSON.stringify(resolve('scripts/mutants/batch.ts'));
  mkdirSync(BATCHES, { recursive: true });
  writeFileSync(file, [`import { runWithMutant } from ${helper};`, ...loads].join('\n'));
  return vitest.projects[0]!.createSpecification(file);
}

/**
 * Collects the mutants that setup.ts has noted in the metadata of the tests. Metadata is used because tests
 * of the service cannot connect to this machine.
 */
function listReached(tests: TestCase[]): number[] {
  const notes = tests.map((test) => test.meta() as { reachedMutants?: number[] });
  return [...new Set(notes.flatMap(({ reachedMutants }) => reachedMutants ?? []))];
}

/** Returns 'timed out' if all failed tests exceeded their time limit, otherwise 'failed'. */
function classifyFailure(tests: TestCase[]): Outcome {
  const failures = tests.map((test) => test.result()).filter(({ state }) => state === 'failed');
  const isLate = failures.every(({ errors }) =>
    errors?.every(({ message }) => TIMEOUT_MESSAGE.test(message)),
  );
  return failures.length > 0 && isLate ? 'timed out' : 'failed';
}

/** Describes the first failure of a test run. Returns `null` if all tests passed. */
function findFailure({ testModules, unhandledErrors }: TestRunResult): string | null {
  if (unhandledErrors.length > 0) return `unhandled: ${String((unhandledErrors[0] as Error).message)}`;
  if (testModules.length === 0) return 'no test ran';
  for (const module of testModules) {
    if (module.errors().length > 0) return `${module.relativeModuleId}: ${module.errors()[0]!.message}`;
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === 'failed') return `${test.fullName}: ${errors?.[0]?.message}`;
    }
  }
  return testModules.some((module) => !module.ok()) ? 'failed' : null;
}

send({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  send(await run(JSON.parse(line) as Order));
}
process.exit(0);
