import { buildAssets } from '../build.ts';
import { readOptions, USAGE } from './options.ts';
import { deploy } from './run.ts';
import { runCommand } from './run-command.ts';

await runCommand(async (surroundings) => {
  const options = readOptions(process.argv.slice(2));
  if (!options) return surroundings.print(USAGE);
  await deploy(options, surroundings, buildAssets);
});
