import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listStateEntries, lockState, stateFolder } from './local-state/folder.ts';
import { StateRefused } from './local-state/refused.ts';
import { describeFailure } from './plain-failure.ts';

// Deletes everything that the local service has stored: database, files and objects. The keys in .dev.vars stay.

/** The folder itself stays if it is a mounted volume, a symbolic link, or in a folder that may not be written to. */
function removeFolder(state: string): void {
  try {
    rmdirSync(state);
  } catch (cause) {
    if (existsSync(state) && listStateEntries(state).length > 0) throw cause;
  }
}

async function reset(state: string): Promise<void> {
  if (listStateEntries(state).length === 0) {
    return console.log(`There is no state in ${resolve(state)}.`);
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
