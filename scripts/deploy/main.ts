import { buildAssets } from '../build.ts';
import { endWith } from './end.ts';
import { readOptions, USAGE } from './options.ts';
import { deploy } from './run.ts';

await endWith(async (surroundings) => {
  const options = readOptions(process.argv.slice(2));
  if (!options) return surroundings.tell(USAGE);
  await deploy(options, surroundings, buildAssets);
});
