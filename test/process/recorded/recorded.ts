import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ids } from './contents.ts';

const FOLDER = 'test/fixtures/releases';
export const stateFile = (release: string) => join(FOLDER, release, 'state.br');
export const expectedFile = (release: string) => join(FOLDER, release, 'expected.json');

/** What a recorded release was asked, and what else there is to know of its state. */
export interface Recorded {
  release: string;
  /** Milliseconds since 1970. */
  recordedAt: number;
  /** Of whoever recorded it: nothing else was ever sealed with it. */
  encryptionKey: string;
  /** A key of the first user. */
  apiKey: string;
  /** Migrations of the database, in their order. */
  migrations: string[];
  /** How many upgrades the storage of an object of each class has seen; of classes that count them. */
  upgrades: Record<string, number>;
  /** By which indexes were made. */
  ingestRevision: string;
  /** The tag of the last migration of the objects' classes. */
  classes: string;
  ids: Ids;
  answers: Record<string, unknown>;
  /** A message of each type, as it was in a queue. */
  messages: Record<string, unknown>[];
}

/** Of a checkout. */
export const ingestRevisionOf = (folder: string): string =>
  /INGEST_REVISION = (\d+)/.exec(readFileSync(join(folder, 'src/services/indexes/indexes.ts'), 'utf8'))![1]!;

export const recordedReleases = (): string[] => readdirSync(FOLDER).toSorted();

export const readRecorded = (release: string): Recorded =>
  JSON.parse(readFileSync(expectedFile(release), 'utf8')) as Recorded;
