import type { LossOrder } from '../losses.ts';

// Control protocol between tests and the MongoDB test server.

/** Password of the only user, `sluice owner`. */
export const PASSWORD_IN_CLEAR = 'p@ss:w/rd% of the owner';

/** Fault of the next command of a database, or of the next command named `on`. */
export type MongoFault = { on?: string } & (
  | { kind: 'answer'; answer: Record<string, unknown> }
  | { kind: 'silent' }
  /** Closes the connection. */
  | { kind: 'cut' }
);

export interface MongoState {
  /** Recorded commands, with binary data in base64. `isPrimary` tells which member received the command. */
  seen: ({ $db: string; isPrimary: boolean } & Record<string, unknown>)[];
  /** Number of open connections whose `appName` is the database name. */
  open: number;
  mistakes: string[];
}

export interface MongoPlan {
  faults?: MongoFault[];
  /** Number of listings until a new search index can be queried. */
  building?: number;
  /** Number of searches that find the first document only, because search indexes have not caught up. */
  unseen?: number;
  /** Kind of search index that has not caught up. By default, both kinds have not. */
  behind?: 'search' | 'vectorSearch';
  lose?: LossOrder;
}

export interface MongoAddresses {
  primary: string;
  /** Host that names the primary and rejects all commands except greetings. */
  secondary: string;
  /** Host that records the start of TLS for `/hellos` of `control` and disconnects. */
  tls: string;
  /** Host that accepts connections and never answers. */
  silent: string;
  control: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    mongodb: MongoAddresses;
  }
}
