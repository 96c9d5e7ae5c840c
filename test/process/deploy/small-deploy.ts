import { readOptions } from '../../../scripts/deploy/options.ts';
import { deploy } from '../../../scripts/deploy/run.ts';
import { runCommand } from '../../../scripts/deploy/run-command.ts';

// Runs `npm run deploy` in a folder whose assets need no build.
await runCommand(async (surroundings) => {
  const options = readOptions(process.argv.slice(2));
  if (options) await deploy(options, surroundings, () => {});
});
