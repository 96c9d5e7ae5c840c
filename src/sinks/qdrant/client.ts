import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { createStoreHttp } from '#src/sinks/external/store-http.ts';
import { parseKwargs } from './client-kwargs.ts';
import { answerSchema } from './wire.ts';

export interface QdrantSettings {
  api_key: string;
  collection_name: string;
  url: string;
  client_kwargs?: Record<string, unknown> | null | undefined;
  max_retries: number | null;
  native_search?: boolean | null | undefined;
}

/**
 * Port that is used if the URL of the Qdrant server names none. Qdrant's own clients use the same default.
 */
const DEFAULT_PORT = 6333;

export interface QdrantClient {
  /**
   * Sends a request to Qdrant and returns the `result` field of the response, validated by `schema`. `path`
   * is relative to the collection's URL.
   */
  ask<T>(method: 'GET' | 'PUT' | 'POST', path: string, schema: z.ZodType<T>, body?: unknown): Promise<T>;
}

/** Builds the URL of the collection. Throws a SinkError if `url` is not an http or https URL. */
export function getCollectionUrl(settings: QdrantSettings): URL {
  const { port, prefix, https } = parseKwargs(settings.client_kwargs);
  const given = settings.url.includes('://') ? settings.url : `${https ? 'https' : 'http'}://${settings.url}`;
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new SinkError('Qdrant: url must be an http or https URL.', {
      retryable: false,
    });
  }
  // A parsed URL omits the default port of its scheme. The original text is therefore checked for an explicit
  // port.
  const isPortNamed = /^[a-z]+:\/\/[^/?#]*:\d+(?:[/?#]|$)/i.test(given);
  if (!isPortNamed) url.port = String(port ?? DEFAULT_PORT);
  const before = [url.pathname, prefix ?? '']
    .flatMap((path) => path.split('/'))
    .filter((step) => step !== '')
    .map((step) => `/${step}`)
    .join('');
  url.pathname = `${before}/collections/${encodeURIComponent(settings.collection_name)}`;
  url.search = '';
  url.hash = '';
  return url;
}

export function createQdrantClient(settings: QdrantSettings, deps: SinkDeps): QdrantClient {
  const base = getCollectionUrl(settings).href;
  const { timeout } = parseKwargs(settings.client_kwargs);
  const http = createStoreHttp({
    product: 'Qdrant',
    deps,
    secrets: [settings.api_key],
    retries: settings.max_retries,
    silenceSeconds: timeout,
  });
  return {
    async ask(method, path, schema, body) {
      const headers = {
        'api-key': settings.api_key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const init = { method, headers, ...(body !== undefined && { body: serialize(body) }) };
      const what = `collection ${settings.collection_name}`;
      const response = await http.request(`${base}${path}`, init, { what });
      return (await http.json(response, answerSchema(schema))).result;
    },
  };
}

/**
 * Serializes a request body and replaces unpaired surrogates, because Qdrant rejects JSON that contains them.
 */
function serialize(body: unknown): string {
  return JSON.stringify(body, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value));
}
