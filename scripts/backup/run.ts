import { rmSync } from 'node:fs';
import { RequestFailure, WrongUse } from '../import/failures.ts';
import { printable } from '../import/tell.ts';
import { ServiceFailure } from '../operator.ts';
import { describeFailure } from '../plain-failure.ts';
import { holdState } from '../state-lock.ts';
import { Damaged, type Directory } from './directory.ts';

/** Names that are printed of many. */
const MOST_TOLD = 20;

/** Runs a command: 0, all is well; 1, something is lacking, and is named; 2, it could not be done. */
export async function run(usage: string, work: () => Promise<boolean | undefined>): Promise<void> {
  try {
    const isWell = await work();
    if (isWell === undefined) process.stdout.write(usage);
    else process.exitCode = isWell ? 0 : 1;
  } catch (cause) {
    const isExpected = [WrongUse, RequestFailure, ServiceFailure, Damaged].some(
      (kind) => cause instanceof kind,
    );
    const message = isExpected ? printable((cause as Error).message, 2000) : describeFailure(cause);
    process.stderr.write(`${message}\n`);
    process.exitCode = 2;
  }
}

/** Two at once would write over each other. */
export async function hold(directory: Directory): Promise<void> {
  if (await holdState(directory.lock())) {
    process.once('exit', () => rmSync(directory.lock(), { recursive: true, force: true }));
    return;
  }
  throw new WrongUse(`Another backup or restore is at work in ${directory.root}.`);
}

export function tellAll(what: string, names: string[]): void {
  if (names.length === 0) return;
  console.error(`${what}:`);
  for (const name of names.slice(0, MOST_TOLD)) console.error(`  ${printable(name)}`);
  if (names.length > MOST_TOLD) console.error(`  and ${names.length - MOST_TOLD} more`);
}
