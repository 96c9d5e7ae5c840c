// Control protocol between tests and the vendor server.

/** Fault of the next request, or of the next request of the operation `on` ("POST /embeddings"). */
export type Fault = { on?: string } & (
  | {
      /** Answers with a status. Without `body`, the answer echoes the request. */
      kind: 'status';
      status: number;
      headers?: Record<string, string>;
      body?: string;
    }
  | { kind: 'body'; body: string; contentType?: string }
  | { kind: 'silent' }
  /** Sends half of the answer and then nothing. */
  | { kind: 'silent body' }
  /** Sends half of the answer and then closes the connection. */
  | { kind: 'cut' }
  | { kind: 'slow'; milliseconds: number }
  /** Fault implemented by the vendor's behaviour. Its answer is not validated. */
  | { kind: 'own'; name: string }
);

/** Vendor of a session, at the hosts of its description or at `base`. */
export interface Mount {
  vendor: string;
  base?: string;
  /** Settings of the behaviour, such as accepted credentials and models. */
  settings?: Settings;
}

export type Settings = Record<string, unknown>;

/** Recorded request with its answer. */
export interface Seen {
  vendor?: string;
  /** Operation of the description, such as "POST /deployments/{deployment-id}/embeddings". */
  operation?: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Parsed JSON or form, otherwise text. */
  body: unknown;
  status?: number;
  /** Reason for a rejection by the description or the credentials. */
  refused?: string;
  /** Value recorded by the behaviour. */
  note?: unknown;
}

export interface SessionState {
  seen: Seen[];
  /** Mistakes of the test server: invalid answers and exceptions of behaviours. */
  mistakes: string[];
  /** Highest number of concurrent requests. */
  mostAtOnce: number;
}

/** Header with the session and the original URL. */
export const SESSION_HEADER = 'x-vendor-session';
export const URL_HEADER = 'x-vendor-url';
