import type { SinkDeps } from '#src/ports/sink.ts';
import { blaming, unlessAbsent, wrongSetting } from '#src/sinks/external/store-http.ts';
import { isIndexName, type PineconeSettings, pineconeClient } from './client.ts';
import { absent, findPlace, unfit } from './place.ts';

/** Asks for the index, which must be there. Says which setting is wrong where the answer tells. */
export async function checkPinecone(
  settings: PineconeSettings,
  deps: SinkDeps,
  dimension?: number,
): Promise<void> {
  const { index_name } = settings;
  if (!isIndexName(index_name)) {
    throw wrongSetting('index_name', 'A name has 1 to 45 characters: a to z, 0 to 9, and - within.');
  }
  const client = pineconeClient(settings, deps);
  const found = await blaming({ credentials: 'api_key', address: 'index_name' }, () =>
    unlessAbsent(findPlace(client)),
  );
  const wanted = dimension ?? 'as many as the embedding model gives';
  const problem = found ? unfit(found.there, dimension) : absent(index_name, wanted);
  if (problem) throw wrongSetting('index_name', problem);
}
