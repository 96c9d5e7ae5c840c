import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { storeHttp } from '#src/sinks/external/store-http.ts';
import { scrub } from '#src/upstream/scrub.ts';
import { type CommandError, type Outcome, outcomeOf } from './wire.ts';

export interface AstraSettings {
  token: string;
  api_endpoint: string;
  collection_name: string;
  embedding_dimension: number;
  keyspace?: string | null | undefined;
}

export const KIND = 'VENDOR_A_DB';
const USUAL_KEYSPACE = 'default_keyspace';
const LONGEST_REASON = 300;

/** Errors of a command, by the codes of the vendor's present and former versions. */
const ABSENT = new Set(['UNKNOWN_COLLECTION_OR_TABLE', 'COLLECTION_NOT_EXIST']);
const NO_KEYSPACE = new Set(['UNKNOWN_KEYSPACE', 'KEYSPACE_DOES_NOT_EXIST', 'NAMESPACE_DOES_NOT_EXIST']);
const TAKEN = new Set(['DOCUMENT_ALREADY_EXISTS']);

/** The vendor read a command and would not do it. */
export class Refused extends SinkError {
  readonly isKeyspaceAbsent: boolean;

  constructor(message: string, { errorCode, family }: CommandError) {
    const code = errorCode ?? '';
    const retryable = family === 'SERVER';
    super(message, { retryable, ...(!retryable && { status: ABSENT.has(code) ? 404 : 400 }) });
    this.isKeyspaceAbsent = NO_KEYSPACE.has(code);
  }
}

export const isTaken = ({ errorCode }: CommandError): boolean => TAKEN.has(errorCode ?? '');

type Command = Record<string, object>;

export interface AstraClient {
  /** A command to the keyspace. */
  toKeyspace<T>(command: Command, schema: z.ZodType<T>): Promise<T>;
  /** A command to the collection. */
  toCollection<T>(command: Command, schema: z.ZodType<T>): Promise<T>;
  /** As `toCollection`, where a part may be done and another one not: whoever asks looks at the errors. */
  attempt<T>(command: Command, schema: z.ZodType<T>): Promise<Outcome<T>>;
  refusal(error: CommandError): Refused;
}

export const keyspaceOf = ({ keyspace }: AstraSettings): string => keyspace || USUAL_KEYSPACE;

/** The address of the keyspace's commands. Undefined when the endpoint is none. */
export function keyspaceUrl(settings: AstraSettings): string | undefined {
  const url = URL.parse(settings.api_endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const steps = [...url.pathname.split('/'), 'api', 'json', 'v1', encodeURIComponent(keyspaceOf(settings))];
  url.pathname = steps.filter((step) => step !== '').join('/');
  url.search = '';
  url.hash = '';
  return url.href;
}

export function astraClient(settings: AstraSettings, deps: SinkDeps): AstraClient {
  const { token, collection_name } = settings;
  const base = keyspaceUrl(settings);
  if (base === undefined) {
    throw new SinkError(`The data sink (${KIND}) has an api_endpoint that is no http or https URL.`, {
      retryable: false,
    });
  }
  const http = storeHttp({ kind: KIND, deps, secrets: [token] });
  const what = `collection ${collection_name}`;

  const refusal = (error: CommandError): Refused => {
    const said = scrub([error.errorCode, error.message].filter(Boolean).join(': '), [token]);
    const reason = said.length > LONGEST_REASON ? `${said.slice(0, LONGEST_REASON)}…` : said;
    return new Refused(`The data sink (${KIND}) refused a request for ${what}: ${reason}`, error);
  };

  async function send<T>(url: string, command: Command, schema: z.ZodType<T>): Promise<Outcome<T>> {
    const headers = { token, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(command) };
    return http.json(await http.request(url, init, { what }), outcomeOf(schema));
  }

  async function ask<T>(url: string, command: Command, schema: z.ZodType<T>): Promise<T> {
    const { errors, result } = await send(url, command, schema);
    if (errors[0]) throw refusal(errors[0]);
    return result!;
  }

  const ofCollection = `${base}/${encodeURIComponent(collection_name)}`;
  return {
    toKeyspace: (command, schema) => ask(base, command, schema),
    toCollection: (command, schema) => ask(ofCollection, command, schema),
    attempt: (command, schema) => send(ofCollection, command, schema),
    refusal,
  };
}
