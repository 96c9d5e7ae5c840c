import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { createStoreHttp } from '#src/sinks/external/store-http.ts';
import { removeCredentials } from '#src/upstream/scrub.ts';
import { envelope } from './wire.ts';

export interface MilvusSettings {
  uri: string;
  token?: string | null | undefined;
  collection_name?: string | null | undefined;
  embedding_dimension?: number | null | undefined;
  native_search?: boolean | null | undefined;
}

export const DEFAULT_COLLECTION = 'sluice';
/** Port for an http address without a port. Milvus's own clients use the same default. */
const DEFAULT_PORT = '19530';
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

const COLLECTION_NOT_FOUND = 100;
/**
 * HTTP status that corresponds to each error code of Milvus. All other codes mean an invalid request and
 * become 400.
 */
const HTTP_STATUS_BY_CODE: Record<number, number> = {
  // Errors of the Milvus service: not ready, unavailable, out of memory, rate limited, failing, over a quota,
  // or without a node.
  ...{ 1: 503, 2: 503, 3: 503, 4: 429, 5: 500, 8: 429, 9: 503, 12: 503, 503: 503, 10001: 504 },
  ...{ [COLLECTION_NOT_FOUND]: 404, 101: 503, 103: 503, 106: 503, 110: 503, 700: 503 },
  ...{ 1400: 401, 1401: 403, 1800: 401, 80002: 401 },
};
const RETRYABLE_STATUSES = new Set([429, 500, 503, 504]);

/**
 * Thrown if Milvus itself reports that the collection does not exist. HTTP status 404 alone does not prove
 * this, because any server may send it.
 */
class CollectionMissing extends SinkError {}

export interface MilvusClient {
  /**
   * Sends a request about the collection and returns the validated `data` of the response. `path` is relative
   * to `/v2/vectordb`.
   */
  ask<T>(path: string, schema: z.ZodType<T>, body?: object): Promise<T>;
}

export interface Address {
  origin: string;
  /**
   * Name of the database, which is the only segment of the address's path. Absent for the default database.
   */
  dbName?: string;
}

export const isCollectionName = (name: string): boolean => NAME.test(name);
export const getCollectionName = ({ collection_name }: MilvusSettings): string =>
  collection_name || DEFAULT_COLLECTION;

/**
 * Parses the address of a Milvus server. Returns `undefined` for anything else, such as a file of the
 * embedded Milvus Lite.
 */
export function parseUri(uri: string): Address | undefined {
  const url = URL.parse(uri);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  const [dbName, ...more] = url.pathname.split('/').filter((step) => step !== '');
  if (more.length > 0 || url.search !== '' || (dbName !== undefined && !NAME.test(dbName))) return undefined;
  const isPortNamed = /^https?:\/\/[^/?#]*:\d+(?:[/?#]|$)/i.test(uri);
  if (!isPortNamed && url.protocol === 'http:') url.port = DEFAULT_PORT;
  return { origin: url.origin, ...(dbName !== undefined && { dbName }) };
}

/** Returns the result of a request, or `undefined` if Milvus reports that the collection does not exist. */
export async function ignoreMissingCollection<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CollectionMissing) return undefined;
    throw error;
  }
}

export const WRONG_URI =
  'uri must be the http or https URL of a server, with at most a database name as its path. Put credentials into token.';

export function createMilvusClient(settings: MilvusSettings, deps: SinkDeps): MilvusClient {
  const collectionName = getCollectionName(settings);
  const secrets = settings.token ? [settings.token] : [];
  const http = createStoreHttp({ product: 'Milvus', deps, secrets });
  const headers = {
    'content-type': 'application/json',
    ...(settings.token && { authorization: `Bearer ${settings.token}` }),
  };
  const what = `collection ${collectionName}`;
  return {
    async ask(path, schema, body = {}) {
      const address = parseUri(settings.uri);
      if (!address) throw createPermanentError(`cannot be called. ${WRONG_URI}`);
      if (!isCollectionName(collectionName)) {
        throw createPermanentError(
          'cannot be called. collection_name must consist of letters, digits and underscores.',
        );
      }
      const { origin, ...database } = address;
      const init = {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...database, collectionName, ...body }),
      };
      const response = await http.request(`${origin}/v2/vectordb${path}`, init, { what });
      const { code, message, data } = await http.json(response, envelope);
      if (code !== 0) throw createFailure(code, removeCredentials(message ?? '', secrets), what);
      const parsed = schema.safeParse(data ?? {});
      if (parsed.success) return parsed.data;
      throw createPermanentError(`answered a request for ${what} with JSON in an unexpected format.`);
    },
  };
}

const createPermanentError = (what: string) => new SinkError(`Milvus ${what}`, { retryable: false });

const LONGEST_REASON = 300;

function createFailure(code: number, message: string, what: string): SinkError {
  const status = HTTP_STATUS_BY_CODE[code] ?? 400;
  const reason = message.slice(0, LONGEST_REASON);
  const Kind = code === COLLECTION_NOT_FOUND ? CollectionMissing : SinkError;
  return new Kind(`Milvus answered code ${code} to a request for ${what}${reason && `: ${reason}`}`, {
    retryable: RETRYABLE_STATUSES.has(status),
    status,
  });
}
