import { rmSync } from 'node:fs';
import { describeFailure } from '../describe-failure.ts';
import { RequestFailure, UsageError } from '../import/failures.ts';
import { toPrintable } from '../import/output.ts';
import { ServiceFailure } from '../operator.ts';
import { acquireState } from '../state-lock.ts';
import { DamagedBackup, type Directory } from './directory.ts';

/** Maximum number of names that are printed of a list, such as missing files. */
const MAX_NAMES = 20;

/**
 * Runs a backup command and sets its exit code: 0 for success, 1 if something is missing, 2 if the command
 * failed. Missing things have been printed by name.
 */
export async function runCommand(usage: string, work: () => Promise<boolean | undefined>): Promise<void> {
  try {
    const isWell = await work();
    if (isWell === undefined) process.stdout.write(usage);
    else process.exitCode = isWell ? 0 : 1;
  } catch (cause) {
    const isExpected = [UsageError, RequestFailure, ServiceFailure, DamagedBackup].some(
      (kind) => cause instanceof kind,
    );
    const message = isExpected ? toPrintable((cause as Error).message, 2000) : describeFailure(cause);
    process.stderr.write(`${message}\n`);
    process.exitCode = 2;
  }
}

/** Locks the directory, because two concurrent commands would overwrite each other's files. */
export async function lockDirectory(directory: Directory): Promise<void> {
  if (await acquireState(directory.lock())) {
    process.once('exit', () => rmSync(directory.lock(), { recursive: true, force: true }));
    return;
  }
  throw new UsageError(`Another backup or restore is using ${directory.root}. Wait until it ends.`);
}

export function printNames(what: string, names: string[]): void {
  if (names.length === 0) return;
  console.error(`${what}:`);
  for (const name of names.slice(0, MAX_NAMES)) console.error(`  ${toPrintable(name)}`);
  if (names.length > MAX_NAMES) console.error(`  and ${names.length - MAX_NAMES} more`);
}
