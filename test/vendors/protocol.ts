// What the vendor server and its clients in tests say to each other.

/** What goes wrong with the next request, or with the next one of the operation `on` ("POST /embeddings"). */
export type Fault = { on?: string } & (
  | {
      /** Answered so. Without `body` the answer repeats all that came in, as some vendors do. */
      kind: 'status';
      status: number;
      headers?: Record<string, string>;
      body?: string;
    }
  | { kind: 'body'; body: string; contentType?: string }
  | { kind: 'silent' }
  /** Half of the answer, then nothing more. */
  | { kind: 'silent body' }
  /** Half of the answer, then the connection is lost. */
  | { kind: 'cut' }
  | { kind: 'slow'; milliseconds: number }
  /** One that the vendor's behaviour knows by its name. What it answers is not held to the description. */
  | { kind: 'own'; name: string }
);

/** A vendor of a session: its description and behaviour, at the hosts of its description or at `base` instead. */
export interface Mount {
  vendor: string;
  base?: string;
  /** What the behaviour is to hold: credentials that it takes, models that it has. */
  settings?: Settings;
}

export type Settings = Record<string, unknown>;

/** A request as it came, and what became of it. */
export interface Seen {
  vendor?: string;
  /** As the description has it: "POST /deployments/{deployment-id}/embeddings". */
  operation?: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Parsed where it is JSON or a form, else its text. */
  body: unknown;
  status?: number;
  /** Why the description or the credentials did not allow it. */
  refused?: string;
  /** What the behaviour noted of it. */
  note?: unknown;
}

export interface SessionState {
  seen: Seen[];
  /** What the server did wrong: behaviours whose answers are not of their description, or that threw. */
  mistakes: string[];
  /** The most requests that were under way at once. */
  mostAtOnce: number;
}

/** Names the session and the address that the code under test called. */
export const SESSION_HEADER = 'x-vendor-session';
export const URL_HEADER = 'x-vendor-url';
