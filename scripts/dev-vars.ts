import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = '.dev.vars';

const base64url = (bytes: number) => randomBytes(bytes).toString('base64url');

/** The local secrets, made at random on first use and never committed. */
export function ensureDevVars(): Record<string, string> {
  const known = existsSync(FILE) ? parse(readFileSync(FILE, 'utf8')) : {};
  const generated: Record<string, string> = {
    BOOTSTRAP_API_KEY: `slc_${base64url(32)}`,
    SESSION_SECRET: base64url(32),
    ENCRYPTION_KEY: `k1:${randomBytes(32).toString('base64')}`,
  };
  const missing = Object.keys(generated).filter((name) => !known[name]);
  const all = { ...generated, ...known };
  if (missing.length > 0) {
    const text = Object.entries(all).map(([name, value]) => `${name}="${value}"\n`);
    writeFileSync(FILE, text.join(''), { mode: 0o600 });
  }
  return all;
}

function parse(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/^\s*([A-Z_][A-Z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s#]*))/gm)];
  return Object.fromEntries(pairs.map((match) => [match[1]!, match[2] ?? match[3] ?? match[4] ?? '']));
}
