import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ids } from './contents.ts';

const FOLDER = 'test/fixtures/releases';
export const stateFile = (release: string) => join(FOLDER, release, 'state.br');
export const expectedFile = (release: string) => join(FOLDER, release, 'expected.json');

/** Recorded answers and metadata of a release. */
export interface Recorded {
  release: string;
  /** Milliseconds since 1970. */
  recordedAt: number;
  /** Encryption key that was created for the recording only. */
  encryptionKey: string;
  /** API key of the first user. */
  apiKey: string;
  /** Migrations of the database, in their order. */
  migrations: string[];
  /** Number of storage upgrades by Durable Object class, for classes that count them. */
  upgrades: Record<string, number>;
  /** Ingest revision with which the indexes were created. */
  ingestRevision: string;
  /** Tag of the last Durable Object class migration. */
  classes: string;
  ids: Ids;
  answers: Record<string, unknown>;
  /** One queue message of each type. */
  messages: Record<string, unknown>[];
}

/** Reads the ingest revision of a checkout. */
export const readIngestRevision = (folder: string): string =>
  /INGEST_REVISION = (\d+)/.exec(readFileSync(join(folder, 'src/services/indexes/indexes.ts'), 'utf8'))![1]!;

export const recordedReleases = (): string[] => readdirSync(FOLDER).toSorted();

export const readRecorded = (release: string): Recorded =>
  JSON.parse(readFileSync(expectedFile(release), 'utf8')) as Recorded;
