import type { Settings } from './protocol.ts';

/** Request that passed the description. */
export interface VendorRequest {
  operation: string;
  method: string;
  /** URL that the code under test called. */
  url: URL;
  /** Parameters of the path, decoded. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** Headers with lower-case names. `host` is the host of `url`. */
  headers: Record<string, string>;
  body: unknown;
  text: string;
  settings: Settings;
  /** Data of the vendor during one test. It is empty at the start. */
  memory: Map<string, unknown>;
  /** Name of a fault of the kind `own`. */
  trouble: string | undefined;
  /** Records a value for the test in `Seen`. */
  note(value: unknown): void;
}

/** Answer with one of `body` (JSON), `events` (server-sent events) and `raw`, or none. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  events?: { event?: string; data: unknown }[];
  raw?: { contentType: string; bytes: Uint8Array | string };
}

/** Rejection of wrong credentials. */
export interface Refusal {
  status: number;
  message: string;
}

/** Thrown by an operation to reject a valid request with an error in the vendor's format. */
export class Refused extends Error {
  readonly status: number;
  constructor({ status, message }: Refusal) {
    super(message);
    this.status = status;
  }
}

/** Valid request for the self-test of the server, which also sends invalid variants. */
export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
  /** Paths of body members whose own members may have any name, such as "tools.0.parameters". */
  freeForm?: string[];
}

export type Unsigned = { method: string; url: string; headers: Record<string, string>; body: string };

/** Implementation of a vendor for requests that pass its description. */
export interface Behaviour {
  /** Name of the description in `descriptions/<name>.openapi.json`. */
  name: string;
  /** Returns the body of an error in the vendor's format. */
  error(status: number, message: string): unknown;
  /**
   * Returns a rejection, or `undefined` if the credentials are right. The description checks that credentials
   * are present.
   */
  authenticate(request: Omit<VendorRequest, 'trouble' | 'note' | 'memory'>): Refusal | undefined;
  /** Returns the credential headers of samples for the self-test of the server. */
  sign(request: Unsigned, settings: Settings): Record<string, string>;
  settings: Settings;
  operations: Record<string, { answer(request: VendorRequest): Answer | Promise<Answer>; sample: Sample }>;
}

/** Authentication with the bearer token in `settings.key`. */
export const bearer = {
  authenticate: ({ headers, settings }: Pick<VendorRequest, 'headers' | 'settings'>) =>
    headers.authorization === `Bearer ${settings.key}` ? undefined : { status: 401, message: 'wrong key' },
  sign: (_: Unsigned, { key }: Settings) => ({ authorization: `Bearer ${key}` }),
};
