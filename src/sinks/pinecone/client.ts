import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { storeHttp } from '#src/sinks/external/store-http.ts';
import { type Index, index } from './wire.ts';

export interface PineconeSettings {
  api_key: string;
  index_name: string;
  namespace?: string | null | undefined;
  insert_kwargs?: Record<string, unknown> | null | undefined;
}

const API_VERSION = '2025-10';
const CONTROL = 'https://api.pinecone.io';
/** What the vendor takes for a name. */
const INDEX_NAME = /^[a-z0-9](?:[a-z0-9-]{0,43}[a-z0-9])?$/;
/** The address of an index comes with an answer, and the key is sent there: it must be the vendor's own. */
const INDEX_HOST = /^(?:https:\/\/)?((?:[a-z0-9-]{1,63}\.){1,10}pinecone\.io)\/?$/i;

export interface PineconeClient {
  /** Rejects with an Upstream of status 404 when there is none of that name. */
  describeIndex(): Promise<Index>;
  /** What the index at `origin` answers. `query`: parameters of a GET; `body`: JSON. */
  ask<T>(
    origin: string,
    path: string,
    schema: z.ZodType<T>,
    how: { query: string } | { body: string },
  ): Promise<T>;
}

export const isIndexName = (name: string): boolean => INDEX_NAME.test(name);

/** Throws when an index is said to be where the key is not to be sent. */
export function originOf({ host }: Pick<Index, 'host'>): string {
  const name = INDEX_HOST.exec(host)?.[1];
  if (name) return `https://${name.toLowerCase()}`;
  throw new SinkError('The data sink (VENDOR_E) says that its index is at a host outside of pinecone.io.', {
    retryable: false,
  });
}

export function pineconeClient(settings: PineconeSettings, deps: SinkDeps): PineconeClient {
  const { api_key, index_name } = settings;
  const http = storeHttp({ kind: 'VENDOR_E', deps, secrets: [api_key] });
  const headers = { 'api-key': api_key, 'x-pinecone-api-version': API_VERSION };
  const what = `index ${index_name}`;
  return {
    async describeIndex() {
      if (!isIndexName(index_name)) {
        throw new SinkError('The data sink (VENDOR_E) has an index_name that the vendor takes for none.', {
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
