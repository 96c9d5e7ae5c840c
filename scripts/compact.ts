import { resolve } from 'node:path';
import { sizeOf } from './import/tell.ts';
import { compactState } from './local-state/compaction.ts';
import { listStateEntries, lockState, stateFolder } from './local-state/folder.ts';
import { StateRefused } from './local-state/refused.ts';
import { describeFailure } from './plain-failure.ts';

// Removes what was deleted from the files of the local state. docs/operations.md says when this is needed.

async function compact(state: string): Promise<void> {
  if (!listStateEntries(state).includes('v3')) {
    return console.log(`There is no state in ${resolve(state)}.`);
  }
  await lockState(state);
  const { databases, blobs, before, after } = compactState(state);
  console.log(`Rewrote ${databases} databases in ${resolve(state)} and deleted ${blobs} unused files.`);
  console.log(`${sizeOf(before)} before, ${sizeOf(after)} now.`);
}

await compact(stateFolder()).catch((cause: unknown) => {
  console.error(describeFailure(cause, [StateRefused]));
  process.exitCode = 1;
});
