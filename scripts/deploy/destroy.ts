import { endWith } from './end.ts';
import { DESTROY_USAGE, readDestroyOptions } from './options.ts';
import { destroy } from './teardown.ts';

await endWith(async (surroundings) => {
  const options = readDestroyOptions(process.argv.slice(2));
  if (!options) return surroundings.tell(DESTROY_USAGE);
  await destroy(options, surroundings);
});
