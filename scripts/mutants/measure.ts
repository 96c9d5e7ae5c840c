import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listTestFiles, MUTANT_ROOMS } from './rooms.ts';
import type { Numbered } from './sample.ts';
import type { Mutant } from './schemata.ts';
import type { Outcome, Plan } from './session.ts';
import { Tests } from './tests.ts';

const FOLDER = 'node_modules/.mutants';

/** Result of a mutant. A mutant that no test reaches is not run. */
export type Result = Outcome | 'not reached';

/** Results of a room. */
export interface Measured {
  room: string;
  mutants: readonly Numbered[];
  /** Results by mutant number. Mutants without a result were not measured, because time was used up. */
  results: ReadonlyMap<number, Result>;
  seconds: number;
  /** Reason why the room could not be measured to the end, other than time. */
  failure?: string;
}

/** Runs the tests of a room with each mutant. When `signal` aborts, the remaining mutants get no result. */
export async function measureRoom(
  room: string,
  mutants: readonly Numbered[],
  signal?: AbortSignal,
): Promise<Measured> {
  const start = performance.now();
  const results = new Map<number, Result>();
  const tests = new Tests(writePlan(room, mutants), signal);
  let failure: string | undefined;
  try {
    const reaching = await tests.findReaching(listTestFiles(MUTANT_ROOMS[room]!));
    for (const mutant of mutants) {
      if (reaching.has(mutant.id)) continue;
      results.set(mutant.id, 'not reached');
      print(mutant, 'not reached');
    }
    await tests.judge(reaching, (id, outcome) => {
      results.set(id, outcome);
      if (outcome !== 'failed') print(mutants[id - 1]!, outcome === 'passed' ? 'survived' : 'timed out');
    });
  } catch (error) {
    if (!signal?.aborted) failure = error instanceof Error ? error.message : String(error);
  } finally {
    await tests.end();
  }
  const seconds = (performance.now() - start) / 1000;
  return { room, mutants, results, seconds, ...(failure !== undefined && { failure }) };
}

/** Writes the plan that session.ts reads, and returns the path of its file. */
function writePlan(name: string, mutants: readonly Numbered[]): string {
  const room = MUTANT_ROOMS[name]!;
  const plan: Plan = { project: room.project, tests: listTestFiles(room), mutants: [...mutants] };
  const file = join(FOLDER, `${name.replaceAll(' ', '-')}.json`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, JSON.stringify(plan));
  return file;
}

export function print({ file, line, kind, original, replacement }: Mutant, result: string): void {
  const [from, to] = [original, replacement].map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 160));
  console.log(`  ${result}: ${file}:${line} ${kind}: ${from} => ${to}`);
}
