import type { Settings } from './protocol.ts';

/** A request that the description allows. */
export interface VendorRequest {
  operation: string;
  method: string;
  /** As the code under test called it. */
  url: URL;
  /** Parameters of the path, decoded. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** Names in lower case; `host` is that of `url`. */
  headers: Record<string, string>;
  body: unknown;
  text: string;
  settings: Settings;
  /** What the vendor holds, from one request of a test to the next; empty as a test begins. */
  memory: Map<string, unknown>;
  /** The name of a fault of the kind `own`. */
  trouble: string | undefined;
  /** Keeps something of the request for the test, in its `Seen`. */
  note(value: unknown): void;
}

/** One of `body` (JSON), `events` (server-sent) and `raw`; or none. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  events?: { event?: string; data: unknown }[];
  raw?: { contentType: string; bytes: Uint8Array | string };
}

/** Wrong credentials, as a status of the vendor's and its message. */
export interface Refusal {
  status: number;
  message: string;
}

/** Thrown by an operation that refuses a request which the description allows; answered in the vendor's shape. */
export class Refused extends Error {
  readonly status: number;
  constructor({ status, message }: Refusal) {
    super(message);
    this.status = status;
  }
}

/** A valid request for the server's own test, which then spoils it in every way. */
export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
  /** Members of the body whose own members may have any name: "tools.0.parameters". */
  freeForm?: string[];
}

export type Unsigned = { method: string; url: string; headers: Record<string, string>; body: string };

/** What a vendor does with requests that its description allows. */
export interface Behaviour {
  /** The name of `descriptions/<name>.openapi.json`. */
  name: string;
  /** The body of an error, in the vendor's shape. */
  error(status: number, message: string): unknown;
  /** Undefined when the credentials are right. That they are there is checked by the description. */
  authenticate(request: Omit<VendorRequest, 'trouble' | 'note' | 'memory'>): Refusal | undefined;
  /** Headers that make a request of the samples right under `settings`, for the server's test. */
  sign(request: Unsigned, settings: Settings): Record<string, string>;
  settings: Settings;
  operations: Record<string, { answer(request: VendorRequest): Answer | Promise<Answer>; sample: Sample }>;
}

/** For vendors whose key is a bearer token, `settings.key`. */
export const bearer = {
  authenticate: ({ headers, settings }: Pick<VendorRequest, 'headers' | 'settings'>) =>
    headers.authorization === `Bearer ${settings.key}` ? undefined : { status: 401, message: 'wrong key' },
  sign: (_: Unsigned, { key }: Settings) => ({ authorization: `Bearer ${key}` }),
};
