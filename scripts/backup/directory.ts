import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Error for a backup whose files have changed since they were written. The message names the file. */
export class DamagedBackup extends Error {}

/**
 * Maximum length of a line in bytes. It is far larger than any row of the database, so a longer line cannot
 * belong to a backup.
 */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * Paths within a backup's directory. Objects are stored under their hash, so a name from a backup never
 * becomes a path.
 */
export class Directory {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  readonly manifest = () => join(this.root, 'manifest.json');
  readonly state = () => join(this.root, 'state.json');
  readonly restoreState = (base: string) => {
    const name = createHash('sha256').update(base).digest('hex').slice(0, 12);
    return join(this.root, `restore-${name}.json`);
  };
  readonly lock = () => join(this.root, 'lock');
  readonly table = (name: string) => join(this.root, 'tables', `${name}.ndjson`);
  readonly objectList = () => join(this.root, 'objects.ndjson');
  readonly object = (sha256: string) => join(this.root, 'objects', sha256.slice(0, 2), sha256);
  readonly temporaryObject = (slot: number) => join(this.root, 'objects', `arriving-${slot}`);
}

/**
 * Replaces a file atomically. After an interruption, the file has either the complete new content or the old
 * content.
 */
export function writeAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function readJsonFile(path: string): unknown {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new DamagedBackup(`${path} is not valid JSON.`);
  }
}

export interface Line {
  value: unknown;
  number: number;
  /** Byte offset in the file at which the next line begins. */
  end: number;
}

/**
 * Reads the lines of a file from a byte offset and parses each as JSON. Only one line is held in memory at a
 * time.
 */
export async function* readLines(path: string, from = 0): AsyncGenerator<Line> {
  let number = 0;
  let end = from;
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { start: from }) as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
      number += 1;
      const line = Buffer.concat([...parts, rest.subarray(0, at)]);
      end += line.length + 1;
      yield { value: parseLine(path, number, line), number, end };
      parts = [];
      length = 0;
      rest = rest.subarray(at + 1);
    }
    parts.push(rest);
    length += rest.length;
    if (length > MAX_LINE_BYTES) {
      throw new DamagedBackup(
        `${path}: line ${number + 1} is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB.`,
      );
    }
  }
  if (length > 0) throw new DamagedBackup(`${path}: line ${number + 1} is incomplete.`);
}

function parseLine(path: string, number: number, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    throw new DamagedBackup(`${path}: line ${number} is not valid JSON.`);
  }
}

export interface Measured {
  bytes: number;
  lines: number;
  sha256: string;
}

export async function measureFile(path: string): Promise<Measured> {
  if (!existsSync(path)) throw new DamagedBackup(`${path} is missing.`);
  const hash = createHash('sha256');
  let [bytes, lines] = [0, 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
  }
  return { bytes, lines, sha256: hash.digest('hex') };
}
