import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { build } from './build.ts';
import { ensureDevVars } from './dev-vars.ts';

/**
 * Projects of vitest.config.ts that run beside each other, each in a vitest of its own; those of one list, one after the
 * other. Tests of processes wait most of their time, for starts, leases and retries, and the others compute.
 */
const SIDES = [
  ['process', 'console'],
  ['modules', 'service'],
];

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const running = new Set<ChildProcess>();
/** What the runs say of their tests at their ends, by the words that they use: passed, failed, skipped. */
const counts = new Map<string, number>();
let isInterrupted = false;

/** Resolves with the exit code, which is 1 for a run that a signal ended. */
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

/** Whole lines, so that those of two runs do not mix, each under the name of its run. */
function printLines(from: NodeJS.ReadableStream, to: NodeJS.WritableStream, name: string): void {
  createInterface({ input: from }).on('line', (line) => {
    to.write(`${name.padEnd(7)} | ${line}\n`);
    count(stripVTControlCharacters(line));
  });
}

/** Adds the line in which Vitest says how many tests there were. */
function count(line: string): void {
  if (!/^ +Tests {2}/.test(line)) return;
  for (const [, number, word] of line.matchAll(/(\d+) (passed|failed|skipped)/g)) {
    counts.set(word!, (counts.get(word!) ?? 0) + Number(number));
  }
}

/** In the words of one run of Vitest, for those who read its last lines. */
function summary(): string {
  const all = [...counts.values()].reduce((sum, number) => sum + number, 0);
  const parts = ['failed', 'passed', 'skipped'].flatMap((word) =>
    counts.has(word) ? [`${counts.get(word)} ${word}`] : [],
  );
  return `      Tests  ${parts.join(' | ')} (${all})`;
}

async function runAll(): Promise<number> {
  // What several runs would make at the same moment is made before them.
  await build();
  ensureDevVars();
  const ended: { project: string; code: number; seconds: number }[] = [];
  const runSide = async (side: string[]) => {
    for (const project of side) {
      if (isInterrupted) return;
      const start = performance.now();
      const code = await vitest(['--project', project], project);
      ended.push({ project, code, seconds: Math.round((performance.now() - start) / 1000) });
    }
  };
  await Promise.all(SIDES.map(runSide));
  console.log('');
  for (const { project, code, seconds } of ended) {
    console.log(`${project.padEnd(7)} ${code === 0 ? 'passed' : `FAILED, exit code ${code}`}, ${seconds} s`);
  }
  console.log(summary());
  return ended.length === SIDES.flat().length && ended.every(({ code }) => code === 0) ? 0 : 1;
}

// A terminal sends its interrupt to every process; other senders to this one only. The runs end what they started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    for (const child of running) child.kill(signal);
  });
}

// `npm test -- <what vitest takes>` is one run of what it names.
const args = process.argv.slice(2);
process.exitCode = args.length > 0 ? await vitest(args) : await runAll();
