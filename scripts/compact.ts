import { resolve } from 'node:path';
import { describeFailure } from './describe-failure.ts';
import { formatCount, formatSize } from './import/output.ts';
import { compactState } from './local-state/compaction.ts';
import { listStateEntries, lockState, stateFolder } from './local-state/folder.ts';
import { StateRefused } from './local-state/refused.ts';

// Removes deleted data from the files of the local state. docs/how-to/delete-and-expire-data.md explains when
// this is needed.

async function compact(state: string): Promise<void> {
  if (!listStateEntries(state).includes('v3')) {
    return console.log(`${resolve(state)} contains no state.`);
  }
  await lockState(state);
  const { databases, blobs, before, after } = compactState(state);
  console.log(
    `Rewrote ${formatCount(databases, 'database')} in ${resolve(state)} and deleted ${formatCount(blobs, 'unused file')}.`,
  );
  console.log(`Size before: ${formatSize(before)}. Size now: ${formatSize(after)}.`);
}

await compact(stateFolder()).catch((cause: unknown) => {
  console.error(describeFailure(cause, [StateRefused]));
  process.exitCode = 1;
});
