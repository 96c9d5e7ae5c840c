import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestCase, TestRunResult, TestSpecification, TestSuite } from 'vitest/node';
import { createVitest } from 'vitest/node';
import { type Mutant, schemataOf } from './schemata.ts';

// One start of the tests with all mutants of a room asleep in it. Reads orders from its input, a line each, and
// answers each with lines. A process of its own: a mutant that hangs is ended with it.

export interface Plan {
  project: string;
  /** Paths of test files. */
  tests: string[];
  mutants: (Mutant & { id: number })[];
}

/** `mutant` is awake from the start, 0 for none: then the reply says which ones the tests reach. */
export interface Alone {
  mutant: number;
  tests: string[];
}
/** One after the other in one runtime; 0 is a run without any, to see whether those before it left something broken. */
export interface InTurn {
  mutants: number[];
  test: string;
}
export type Order = Alone | InTurn;

export type Reply =
  | { ready: true }
  /** One of several in turn has ended. */
  | { tried: number; outcome: Outcome }
  | { failed: string | null; outcome: Outcome; seconds: number; reached: number[] };

/** Of a run of tests. A test that fails because its time was over may only have been slow. */
export type Outcome = 'passed' | 'failed' | 'timed out';

const REPLY = '\u0001';
/** As the test runner says it of a test and of a hook. */
const TIME_IS_OVER = /^(?:Test|Hook) timed out in \d+ms/;
const BATCHES = '.wrangler/mutants';
const tell = (reply: Reply) => process.stdout.write(`${REPLY}${JSON.stringify(reply)}\n`);

const plan = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Plan;
const byFile = Map.groupBy(plan.mutants, ({ file }) => resolve(file));

const plantMutants = {
  name: 'mutants',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    const mutants = byFile.get(id.split('?')[0]!);
    return mutants && { code: schemataOf(code, mutants), map: null };
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
    const tried = /^mutant (\d+)$/.exec(suite.name)?.[1];
    if (tried && suite.parent.type === 'module') {
      const tests = [...suite.children.allTests()];
      tell({ tried: Number(tried), outcome: suite.state() === 'failed' ? failedHow(tests) : 'passed' });
    }
  },
};
// Nothing of this may stay in a cache: neither for the next room nor for the tests themselves.
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
  const begun = performance.now();
  provide('mutant' in order ? order.mutant : 0);
  const files = 'mutant' in order ? filesOf(order) : [batchOf(order)];
  const told = await vitest.runTestSpecifications(files);
  // It has what ran before as well.
  const asked = new Set(files.map(({ moduleId }) => moduleId));
  const result = { ...told, testModules: told.testModules.filter(({ moduleId }) => asked.has(moduleId)) };
  if ('mutants' in order) rmSync(files[0]!.moduleId);
  const seconds = (performance.now() - begun) / 1000;
  const failed = failureOf(result);
  const tests = result.testModules.flatMap((module) => [...module.children.allTests()]);
  return {
    failed,
    outcome: failed === null ? 'passed' : failedHow(tests),
    seconds,
    reached: reachedIn(tests),
  };
}

const filesOf = ({ tests }: Alone) =>
  all.filter(({ moduleId }) => tests.some((test) => resolve(test) === moduleId));

/** A test file that brings the tests of another one anew for each mutant. */
function batchOf({ mutants, test }: InTurn): TestSpecification {
  batches += 1;
  const file = resolve(BATCHES, `${process.pid}-${batches}.test.ts`);
  const loads = mutants.map((mutant, at) => {
    const source = JSON.stringify(`${resolve(test)}?turn=${batches}-${at}`);
    return `withMutant(${mutant}, () => import(${source}));`;
  });
  const helper = JSON.stringify(resolve('scripts/mutants/batch.ts'));
  mkdirSync(BATCHES, { recursive: true });
  writeFileSync(file, [`import { withMutant } from ${helper};`, ...loads].join('\n'));
  return vitest.projects[0]!.createSpecification(file);
}

/** A test's own note, as setup.ts writes it: tests of the service can reach no address of this machine. */
function reachedIn(tests: TestCase[]): number[] {
  const notes = tests.map((test) => test.meta() as { reachedMutants?: number[] });
  return [...new Set(notes.flatMap(({ reachedMutants }) => reachedMutants ?? []))];
}

/** 'timed out' when no test failed in any other way. */
function failedHow(tests: TestCase[]): Outcome {
  const failures = tests.map((test) => test.result()).filter(({ state }) => state === 'failed');
  const isLate = failures.every(({ errors }) => errors?.every(({ message }) => TIME_IS_OVER.test(message)));
  return failures.length > 0 && isLate ? 'timed out' : 'failed';
}

/** What failed first; null when everything passed. */
function failureOf({ testModules, unhandledErrors }: TestRunResult): string | null {
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

tell({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  tell(await run(JSON.parse(line) as Order));
}
process.exit(0);
