import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { createStoreHttp } from '#src/sinks/external/store-http.ts';
import { removeCredentials } from '#src/upstream/scrub.ts';
import { type CommandError, type Outcome, outcomeSchema } from './wire.ts';

export interface AstraSettings {
  token: string;
  api_endpoint: string;
  collection_name: string;
  embedding_dimension: number;
  keyspace?: string | null | undefined;
}

export const PRODUCT = 'Astra DB';
const DEFAULT_KEYSPACE = 'default_keyspace';
const LONGEST_REASON = 300;

/** Error codes of a missing collection, in current and earlier versions of the Data API. */
const MISSING_COLLECTION_CODES = new Set(['UNKNOWN_COLLECTION_OR_TABLE', 'COLLECTION_NOT_EXIST']);
const MISSING_KEYSPACE_CODES = new Set([
  'UNKNOWN_KEYSPACE',
  'KEYSPACE_DOES_NOT_EXIST',
  'NAMESPACE_DOES_NOT_EXIST',
]);
const DUPLICATE_CODES = new Set(['DOCUMENT_ALREADY_EXISTS']);

/** Thrown if Astra DB understood a command but refused to run it. */
export class CommandRefused extends SinkError {
  readonly isKeyspaceAbsent: boolean;

  constructor(message: string, { errorCode, family }: CommandError) {
    const code = errorCode ?? '';
    const retryable = family === 'SERVER';
    super(message, {
      retryable,
      ...(!retryable && { status: MISSING_COLLECTION_CODES.has(code) ? 404 : 400 }),
    });
    this.isKeyspaceAbsent = MISSING_KEYSPACE_CODES.has(code);
  }
}

export const isDuplicate = ({ errorCode }: CommandError): boolean => DUPLICATE_CODES.has(errorCode ?? '');

type Command = Record<string, object>;

export interface AstraClient {
  /** Sends a command to the keyspace. Rejects with CommandRefused if the response contains an error. */
  sendToKeyspace<T>(command: Command, schema: z.ZodType<T>): Promise<T>;
  sendToCollection<T>(command: Command, schema: z.ZodType<T>): Promise<T>;
  /**
   * Sends a command that may fail for only some documents of the collection. The caller handles the errors in
   * the result.
   */
  sendForOutcome<T>(command: Command, schema: z.ZodType<T>): Promise<Outcome<T>>;
  createRefusal(error: CommandError): CommandRefused;
}

export const getKeyspace = ({ keyspace }: AstraSettings): string => keyspace || DEFAULT_KEYSPACE;

/**
 * Returns the URL for commands to the keyspace, or `undefined` if the endpoint is not an http or https URL.
 */
export function getKeyspaceUrl(settings: AstraSettings): string | undefined {
  const url = URL.parse(settings.api_endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const steps = [...url.pathname.split('/'), 'api', 'json', 'v1', encodeURIComponent(getKeyspace(settings))];
  url.pathname = steps.filter((step) => step !== '').join('/');
  url.search = '';
  url.hash = '';
  return url.href;
}

export function createAstraClient(settings: AstraSettings, deps: SinkDeps): AstraClient {
  const { token, collection_name } = settings;
  const base = getKeyspaceUrl(settings);
  if (base === undefined) {
    throw new SinkError(`${PRODUCT}: api_endpoint must be an http or https URL.`, {
      retryable: false,
    });
  }
  const http = createStoreHttp({ product: PRODUCT, deps, secrets: [token] });
  const what = `collection ${collection_name}`;

  const refusal = (error: CommandError): CommandRefused => {
    const text = removeCredentials([error.errorCode, error.message].filter(Boolean).join(': '), [token]);
    const reason = text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text;
    return new CommandRefused(`${PRODUCT} refused a request for ${what}: ${reason}`, error);
  };

  async function send<T>(url: string, command: Command, schema: z.ZodType<T>): Promise<Outcome<T>> {
    const headers = { token, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(command) };
    return http.json(await http.request(url, init, { what }), outcomeSchema(schema));
  }

  async function ask<T>(url: string, command: Command, schema: z.ZodType<T>): Promise<T> {
    const { errors, result } = await send(url, command, schema);
    if (errors[0]) throw refusal(errors[0]);
    return result!;
  }

  const ofCollection = `${base}/${encodeURIComponent(collection_name)}`;
  return {
    sendToKeyspace: (command, schema) => ask(base, command, schema),
    sendToCollection: (command, schema) => ask(ofCollection, command, schema),
    sendForOutcome: (command, schema) => send(ofCollection, command, schema),
    createRefusal: refusal,
  };
}
