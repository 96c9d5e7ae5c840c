import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { storeHttp } from '#src/sinks/external/store-http.ts';
import { scrub } from '#src/upstream/scrub.ts';
import { envelope } from './wire.ts';

export interface MilvusSettings {
  uri: string;
  token?: string | null | undefined;
  collection_name?: string | null | undefined;
  embedding_dimension?: number | null | undefined;
}

export const USUAL_COLLECTION = 'sluice';
/** Where the vendor's own clients look when an http address names no port. */
const USUAL_PORT = '19530';
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

const NO_COLLECTION = 100;
/** What the vendor's codes say in terms of HTTP; those beside are faults of what was asked. */
const STATUSES: Record<number, number> = {
  // The service: not ready, unavailable, out of memory, asked too often, failing, over a quota, without a node.
  ...{ 1: 503, 2: 503, 3: 503, 4: 429, 5: 500, 8: 429, 9: 503, 12: 503, 503: 503, 10001: 504 },
  // The collection: absent, not loaded, not wholly loaded, recovering; its index, which comes just after it.
  ...{ [NO_COLLECTION]: 404, 101: 503, 103: 503, 106: 503, 110: 503, 700: 503 },
  ...{ 1400: 401, 1401: 403, 1800: 401, 80002: 401 },
};
/** A later attempt may find the vendor ready. */
const PASSING = new Set([429, 500, 503, 504]);

/** The vendor's own word that the collection is not there. A mere status of 404 may be any server's. */
class NoCollection extends SinkError {}

export interface MilvusClient {
  /** The `data` of an answer about the collection, as `schema` has it. `path` is behind `/v2/vectordb`. */
  ask<T>(path: string, schema: z.ZodType<T>, body?: object): Promise<T>;
}

export interface Address {
  origin: string;
  /** A path of one step names it, as in the vendor's clients. */
  dbName?: string;
}

export const isCollectionName = (name: string): boolean => NAME.test(name);
export const collectionOf = ({ collection_name }: MilvusSettings): string =>
  collection_name || USUAL_COLLECTION;

/** Undefined where the uri is no address of a server: a file of the vendor's embedded edition, say. */
export function addressOf(uri: string): Address | undefined {
  const url = URL.parse(uri);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  const [dbName, ...more] = url.pathname.split('/').filter((step) => step !== '');
  if (more.length > 0 || url.search !== '' || (dbName !== undefined && !NAME.test(dbName))) return undefined;
  const isPortNamed = /^https?:\/\/[^/?#]*:\d+(?:[/?#]|$)/i.test(uri);
  if (!isPortNamed && url.protocol === 'http:') url.port = USUAL_PORT;
  return { origin: url.origin, ...(dbName !== undefined && { dbName }) };
}

/** Undefined where the vendor says that the collection is not there. */
export async function unlessNoCollection<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NoCollection) return undefined;
    throw error;
  }
}

export const WRONG_URI =
  'This is no http or https URL of a server (with a database’s name as its path at most, and credentials in token).';

export function milvusClient(settings: MilvusSettings, deps: SinkDeps): MilvusClient {
  const collectionName = collectionOf(settings);
  const secrets = settings.token ? [settings.token] : [];
  const http = storeHttp({ kind: 'VENDOR_C', deps, secrets });
  const headers = {
    'content-type': 'application/json',
    ...(settings.token && { authorization: `Bearer ${settings.token}` }),
  };
  const what = `collection ${collectionName}`;
  return {
    async ask(path, schema, body = {}) {
      const address = addressOf(settings.uri);
      if (!address) throw refused(`has a wrong uri. ${WRONG_URI}`);
      if (!isCollectionName(collectionName)) {
        throw refused('has a collection_name that is not of letters, digits and _ alone.');
      }
      const { origin, ...database } = address;
      const init = {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...database, collectionName, ...body }),
      };
      const response = await http.request(`${origin}/v2/vectordb${path}`, init, { what });
      const { code, message, data } = await http.json(response, envelope);
      if (code !== 0) throw failure(code, scrub(message ?? '', secrets), what);
      const parsed = schema.safeParse(data ?? {});
      if (parsed.success) return parsed.data;
      throw refused(`answered a request for ${what} with JSON of another shape.`);
    },
  };
}

const refused = (said: string) => new SinkError(`The data sink (VENDOR_C) ${said}`, { retryable: false });

const LONGEST_REASON = 300;

function failure(code: number, message: string, what: string): SinkError {
  const status = STATUSES[code] ?? 400;
  const reason = message.slice(0, LONGEST_REASON);
  const Kind = code === NO_COLLECTION ? NoCollection : SinkError;
  return new Kind(
    `The data sink (VENDOR_C) answered code ${code} to a request for ${what}${reason && `: ${reason}`}`,
    { retryable: PASSING.has(status), status },
  );
}
