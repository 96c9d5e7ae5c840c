import { endWith } from '../../../scripts/deploy/end.ts';
import { readOptions } from '../../../scripts/deploy/options.ts';
import { deploy } from '../../../scripts/deploy/run.ts';

// `npm run deploy` in a folder whose assets need no building.
await endWith(async (surroundings) => {
  const options = readOptions(process.argv.slice(2));
  if (options) await deploy(options, surroundings, () => {});
});
