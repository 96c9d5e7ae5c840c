import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const base64url = (bytes: number) => randomBytes(bytes).toString('base64url');

/**
 * Reads the local secrets. Missing secrets are generated and added to the file, which only its owner can
 * read.
 */
export function ensureDevVars(file = '.dev.vars'): Record<string, string> {
  const known = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
  const generated: Record<string, string> = {
    BOOTSTRAP_API_KEY: `slc_${base64url(32)}`,
    SESSION_SECRET: base64url(32),
    ENCRYPTION_KEY: `k1:${randomBytes(32).toString('base64')}`,
  };
  const missing = Object.keys(generated).filter((name) => !known[name]);
  const all = { ...generated, ...known };
  if (missing.length > 0) {
    const text = Object.entries(all).map(([name, value]) => `${name}="${value}"\n`);
    writeFileSync(file, text.join(''), { mode: 0o600 });
  }
  return all;
}

function parse(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/^\s*([A-Z_][A-Z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s#]*))/gm)];
  return Object.fromEntries(pairs.map((match) => [match[1]!, match[2] ?? match[3] ?? match[4] ?? '']));
}
