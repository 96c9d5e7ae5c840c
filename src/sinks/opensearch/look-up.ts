import { SinkError } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { SearchClient } from './client.ts';
import { looked } from './wire.ts';

/** Returns those ids for which the index has a document. If the index is missing, the result is empty. */
export async function lookUpIds(client: SearchClient, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const request = { method: 'POST', path: '/_mget?_source=false', body: { ids } } as const;
  const { docs } = (await ignoreNotFound(client.ask(request, looked))) ?? { docs: [] };
  const failure = docs.find(({ error }) => error && error.type !== 'index_not_found_exception');
  if (failure) {
    const { product } = await client.getEngine();
    const message = `${product} failed to look up one of ${ids.length} documents: ${failure.error!.type}`;
    throw new SinkError(message, { retryable: true });
  }
  return new Set(docs.filter(({ found }) => found).map(({ _id }) => _id));
}
