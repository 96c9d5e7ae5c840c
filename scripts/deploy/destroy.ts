import { DESTROY_USAGE, readDestroyOptions } from './options.ts';
import { runCommand } from './run-command.ts';
import { destroy } from './teardown.ts';

await runCommand(async (surroundings) => {
  const options = readDestroyOptions(process.argv.slice(2));
  if (!options) return surroundings.print(DESTROY_USAGE);
  await destroy(options, surroundings);
});
