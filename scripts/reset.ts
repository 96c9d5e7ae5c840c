import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeFailure } from './describe-failure.ts';
import { listStateEntries, lockState, stateFolder } from './local-state/folder.ts';
import { StateRefused } from './local-state/refused.ts';

// Deletes everything that the local service has stored: database, files and Durable Objects. The keys in
// .dev.vars are kept.

/**
 * Removes the folder, unless it is a mounted volume, a symbolic link or inside a folder without write
 * permission. In these cases the empty folder is kept.
 */
function removeFolder(state: string): void {
  try {
    rmdirSync(state);
  } catch (cause) {
    if (existsSync(state) && listStateEntries(state).length > 0) throw cause;
  }
}

async function reset(state: string): Promise<void> {
  if (listStateEntries(state).length === 0) {
    return console.log(`${resolve(state)} contains no state.`);
  }
  await lockState(state);
  for (const name of listStateEntries(state)) rmSync(join(state, name), { recursive: true, force: true });
  removeFolder(state);
  console.log(
    `Deleted the state in ${resolve(state)}: database, files and objects. The keys in .dev.vars stay.`,
  );
}

await reset(stateFolder()).catch((cause: unknown) => {
  console.error(describeFailure(cause, [StateRefused]));
  process.exitCode = 1;
});
