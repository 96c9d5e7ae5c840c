import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { createStoreHttp } from '#src/sinks/external/store-http.ts';
import { type Index, index } from './wire.ts';

export interface PineconeSettings {
  api_key: string;
  index_name: string;
  namespace?: string | null | undefined;
  insert_kwargs?: Record<string, unknown> | null | undefined;
}

const API_VERSION = '2025-10';
const CONTROL = 'https://api.pinecone.io';
const INDEX_NAME = /^[a-z0-9](?:[a-z0-9-]{0,43}[a-z0-9])?$/;
/**
 * Matches Pinecone's own hosts. The host of an index comes from a response, so it is checked before the API
 * key is sent there.
 */
const INDEX_HOST = /^(?:https:\/\/)?((?:[a-z0-9-]{1,63}\.){1,10}pinecone\.io)\/?$/i;

export interface PineconeClient {
  /**
   * Returns the description of the Pinecone index. Rejects with an Upstream error of status 404 if the index
   * does not exist.
   */
  describeIndex(): Promise<Index>;
  /**
   * Sends a request to the index at `origin` and returns the validated response. With `query`, the request is
   * a GET. With `body`, it is a POST of JSON.
   */
  ask<T>(
    origin: string,
    path: string,
    schema: z.ZodType<T>,
    how: { query: string } | { body: string },
  ): Promise<T>;
}

export const isIndexName = (name: string): boolean => INDEX_NAME.test(name);

/**
 * Returns the origin of the index. Throws if its host is not one of Pinecone's, because the API key would be
 * sent there.
 */
export function getIndexOrigin({ host }: Pick<Index, 'host'>): string {
  const name = INDEX_HOST.exec(host)?.[1];
  if (name) return `https://${name.toLowerCase()}`;
  throw new SinkError('Pinecone reported an index host that is not under pinecone.io.', {
    retryable: false,
  });
}

export function createPineconeClient(settings: PineconeSettings, deps: SinkDeps): PineconeClient {
  const { api_key, index_name } = settings;
  const http = createStoreHttp({ product: 'Pinecone', deps, secrets: [api_key] });
  const headers = { 'api-key': api_key, 'x-pinecone-api-version': API_VERSION };
  const what = `index ${index_name}`;
  return {
    async describeIndex() {
      if (!isIndexName(index_name)) {
        throw new SinkError('Pinecone cannot be called: index_name is not a valid index name.', {
          retryable: false,
        });
      }
      const response = await http.request(`${CONTROL}/indexes/${index_name}`, { headers }, { what });
      return http.json(response, index);
    },
    async ask(origin, path, schema, how) {
      const init =
        'body' in how
          ? { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: how.body }
          : { headers };
      const url = `${origin}${path}${'query' in how ? `?${how.query}` : ''}`;
      return http.json(await http.request(url, init, { what }), schema);
    },
  };
}
