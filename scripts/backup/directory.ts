import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a backup's directory holds is not what was written. The message names the file. */
export class Damaged extends Error {}

/** No row of the database comes near; a longer line is none of a backup's. */
const LONGEST_LINE = 32 * 1024 * 1024;

/** Where a backup keeps what. Bytes are called by their hash: no name out of a backup becomes a path. */
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
  readonly arriving = (slot: number) => join(this.root, 'objects', `arriving-${slot}`);
}

/** All of the new content or all of the old, whatever interrupts it. */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function readJsonFile(path: string): unknown {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new Damaged(`${path} is not JSON.`);
  }
}

export interface Line {
  value: unknown;
  number: number;
  /** Where the line after it begins, in bytes. */
  end: number;
}

/** The lines of a file from a place on, each parsed. Never more than one line is held. */
export async function* linesOf(path: string, from = 0): AsyncGenerator<Line> {
  let number = 0;
  let end = from;
  let parts: Buffer[] = [];
  let held = 0;
  for await (const chunk of createReadStream(path, { start: from }) as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
      number += 1;
      const line = Buffer.concat([...parts, rest.subarray(0, at)]);
      end += line.length + 1;
      yield { value: parsed(path, number, line), number, end };
      parts = [];
      held = 0;
      rest = rest.subarray(at + 1);
    }
    parts.push(rest);
    held += rest.length;
    if (held > LONGEST_LINE) {
      throw new Damaged(`${path}: line ${number + 1} is longer than ${LONGEST_LINE / 1024 / 1024} MiB.`);
    }
  }
  if (held > 0) throw new Damaged(`${path}: line ${number + 1} is cut off.`);
}

function parsed(path: string, number: number, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    throw new Damaged(`${path}: line ${number} is not JSON.`);
  }
}

export interface Measured {
  bytes: number;
  lines: number;
  sha256: string;
}

export async function measure(path: string): Promise<Measured> {
  if (!existsSync(path)) throw new Damaged(`${path} is missing.`);
  const hash = createHash('sha256');
  let [bytes, lines] = [0, 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
  }
  return { bytes, lines, sha256: hash.digest('hex') };
}
