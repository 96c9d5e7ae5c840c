import type { LossOrder } from '../losses.ts';

// What the server of MongoDB in tests and its clients say to each other, beside the wire protocol.

/** Of the one user, `sluice owner`. */
export const PASSWORD_IN_CLEAR = 'p@ss:w/rd% of the owner';

/** What goes wrong with the next command of a database, or with the next one of the name `on`. */
export type MongoFault = { on?: string } & (
  | { kind: 'answer'; answer: Record<string, unknown> }
  | { kind: 'silent' }
  /** The connection is lost. */
  | { kind: 'cut' }
);

export interface MongoState {
  /** The last commands as they came, binary data in base64; `isPrimary`: to which of the two they came. */
  seen: ({ $db: string; isPrimary: boolean } & Record<string, unknown>)[];
  /** Connections of clients whose `appName` is the database's name. */
  open: number;
  mistakes: string[];
}

export interface MongoPlan {
  faults?: MongoFault[];
  /** Listings for which a new search index is not there to be queried yet. */
  building?: number;
  lose?: LossOrder;
}

export interface MongoAddresses {
  primary: string;
  /** Knows the primary, and refuses all but greetings. */
  secondary: string;
  /** Hears how TLS begins, which `/hellos` of `control` tells, and hangs up. */
  tls: string;
  /** Falls silent once it is reached. */
  silent: string;
  control: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    mongodb: MongoAddresses;
  }
}
