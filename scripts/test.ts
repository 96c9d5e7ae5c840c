import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { build } from './build.ts';
import { ensureDevVars } from './dev-vars.ts';

/**
 * Projects of vitest.config.ts by group. Groups run in parallel, each project in its own Vitest process, and
 * the projects of a group run one after the other. Process tests mostly wait for starts, leases and retries,
 * while the other group uses the CPU.
 */
const PARALLEL_GROUPS = [
  ['process', 'console'],
  ['modules', 'service'],
];

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const running = new Set<ChildProcess>();
const counts = new Map<string, number>();
let isInterrupted = false;

/** Runs Vitest and resolves with its exit code. The code is 1 if a signal ended the run. */
function vitest(args: string[], name?: string): Promise<number> {
  const child = spawn(process.execPath, [VITEST, 'run', ...args], {
    stdio: name ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...process.env },
  });
  running.add(child);
  if (name) {
    printLines(child.stdout!, process.stdout, name);
    printLines(child.stderr!, process.stderr, name);
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

/** Prints whole lines with the name of the run, so that the lines of two runs do not mix. */
function printLines(from: NodeJS.ReadableStream, to: NodeJS.WritableStream, name: string): void {
  createInterface({ input: from }).on('line', (line) => {
    to.write(`${name.padEnd(7)} | ${line}\n`);
    count(stripVTControlCharacters(line));
  });
}

/** Adds the numbers of tests to the totals if the line contains Vitest's results. */
function count(line: string): void {
  if (!/^ +Tests {2}/.test(line)) return;
  for (const [, number, word] of line.matchAll(/(\d+) (passed|failed|skipped)/g)) {
    counts.set(word!, (counts.get(word!) ?? 0) + Number(number));
  }
}

/** Formats the total in the same way as a single Vitest run, for tools that read the last lines. */
function summary(): string {
  const all = [...counts.values()].reduce((sum, number) => sum + number, 0);
  const parts = ['failed', 'passed', 'skipped'].flatMap((word) =>
    counts.has(word) ? [`${counts.get(word)} ${word}`] : [],
  );
  return `      Tests  ${parts.join(' | ')} (${all})`;
}

async function runAll(): Promise<number> {
  // The build and the local secrets are created first. Otherwise several test runs would create the same
  // files at the same time.
  await build();
  ensureDevVars();
  const ended: { project: string; code: number; seconds: number }[] = [];
  const runGroup = async (side: string[]) => {
    for (const project of side) {
      if (isInterrupted) return;
      const start = performance.now();
      const code = await vitest(['--project', project], project);
      ended.push({ project, code, seconds: Math.round((performance.now() - start) / 1000) });
    }
  };
  await Promise.all(PARALLEL_GROUPS.map(runGroup));
  console.log('');
  for (const { project, code, seconds } of ended) {
    console.log(`${project.padEnd(7)} ${code === 0 ? 'passed' : `FAILED, exit code ${code}`}, ${seconds} s`);
  }
  console.log(summary());
  return ended.length === PARALLEL_GROUPS.flat().length && ended.every(({ code }) => code === 0) ? 0 : 1;
}

// A terminal sends an interrupt to every process, but other senders only to this one. Each run ends the
// processes that it started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    for (const child of running) child.kill(signal);
  });
}

// With arguments, `npm test` runs a single Vitest with these arguments.
const args = process.argv.slice(2);
process.exitCode = args.length > 0 ? await vitest(args) : await runAll();
