import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestRunResult } from 'vitest/node';
import { createVitest } from 'vitest/node';
import { type Mutant, schemataOf } from './schemata.ts';

// One start of the tests with all mutants of a room asleep in it. Reads orders from its input, a line each, and
// answers each with a line. A process of its own: a mutant that hangs is ended with it.

export interface Plan {
  project: string;
  /** Paths of test files. */
  tests: string[];
  mutants: (Mutant & { id: number })[];
}
/** `mutant` 0: which file's tests reach which mutants, without any of them awake. */
export interface Order {
  mutant: number;
  tests: string[];
}
export type Reply =
  | { ready: true }
  | { failed: string | null; seconds: number; reached: Record<string, number[]> };

const REPLY = '\u0001';
const tell = (reply: Reply) => process.stdout.write(`${REPLY}${JSON.stringify(reply)}\n`);

const plan = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Plan;
const byFile = Map.groupBy(plan.mutants, ({ file }) => resolve(file));

let reached: Record<string, number[]> = {};
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const told = JSON.parse(text) as { file: string; reached: number[] };
    reached[told.file] = told.reached;
    response.end();
  });
}).listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
const reachedUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

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
// Nothing of this may stay in a cache: neither for the next room nor for the tests themselves.
const vitest = await createVitest(
  { config: false, watch: false, run: true, reporters: [{}], bail: 1, silent: true, fsModuleCache: false },
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
vitest.provide('mutant' as never, { id: 0, reachedUrl } as never);
const all = await vitest.globTestSpecifications(plan.tests);

async function run({ mutant, tests }: Order): Promise<Reply> {
  vitest.provide('mutant' as never, { id: mutant, reachedUrl } as never);
  for (const project of vitest.projects)
    project.provide('mutant' as never, { id: mutant, reachedUrl } as never);
  reached = {};
  const begun = performance.now();
  const wanted = all.filter(({ moduleId }) => tests.some((test) => resolve(test) === moduleId));
  const result = await vitest.runTestSpecifications(wanted);
  return { failed: failureOf(result), seconds: (performance.now() - begun) / 1000, reached };
}

/** What failed first; null when everything passed. */
function failureOf({ testModules, unhandledErrors }: TestRunResult): string | null {
  if (unhandledErrors.length > 0) return `unhandled: ${String((unhandledErrors[0] as Error).message)}`;
  if (testModules.length === 0) return 'no test ran';
  for (const module of testModules) {
    if (module.errors().length > 0) return `${module.relativeModuleId}: ${module.errors()[0]!.message}`;
    for (const test of module.children.allTests()) {
      if (test.result().state === 'failed') return test.fullName;
    }
  }
  return testModules.some((module) => !module.ok()) ? 'failed' : null;
}

tell({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  tell(await run(JSON.parse(line) as Order));
}
process.exit(0);
