import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARSER_VARIABLES, SERVICE_VARIABLES } from '#server/variables.ts';
import { isSecretVariable } from '#src/lib/secrets/secret-variables.ts';
import type { Planting } from './planting.ts';
import type { RepeatingServer } from './repeating-server.ts';

/** Base64 of 32 bytes that begins with a secret. */
const encryptionKey = (secret: string) => `${secret.padEnd(42, 'A')}A=`;
const apiKey = (secret: string) => `slc_${secret.padEnd(43, 'A')}`;

/** Writes a file of secrets as `npm start` generates it, with a planted secret in each. */
export function plantSecretsFile(file: string, planting: Planting): void {
  const secrets = {
    BOOTSTRAP_API_KEY: apiKey(planting.next()),
    SESSION_SECRET: planting.next().padEnd(43, 'A'),
    ENCRYPTION_KEY: `k1:${encryptionKey(planting.next())}`,
    OCR_API_KEY: planting.next(),
  };
  const lines = Object.entries(secrets).map(([name, value]) => `${name}="${value}"\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
}

/** Variables of `npm start` that hold secrets and are in no file, with a planted secret in each. */
export function plantEnvironment(planting: Planting, vendor: RepeatingServer): Record<string, string> {
  const next = () => planting.next();
  return {
    ENCRYPTION_KEYS_PREVIOUS: `k0:${encryptionKey(next())}`,
    EMBEDDING_API_KEY: next(),
    EMBEDDING_BASE_URL: `${vendor.url}/v1`,
    EMBEDDING_MODEL: 'm',
    LLM_API_KEY: next(),
    LLM_BASE_URL: `${vendor.url}/v1`,
    LLM_MODEL: 'm',
    LLM_MODELS: JSON.stringify({
      named: { provider: 'openai_compatible', base_url: `${vendor.url}/named`, model: 'm', api_key: next() },
      referring: {
        provider: 'openai_compatible',
        base_url: `${vendor.url}/referring`,
        model: 'm',
        api_key: { variable: 'KEY_OF_A_MODEL' },
      },
    }),
    KEY_OF_A_MODEL: next(),
    RERANK_API_KEY: next(),
    RERANK_BASE_URL: `${vendor.url}/v2`,
    RERANK_MODEL: 'm',
    RERANK_MODELS: JSON.stringify({
      cohere: { model: 'rerank', base_url: `${vendor.url}/cohere`, api_key: next() },
    }),
    SPARSE_EMBEDDINGS_API_KEY: next(),
    SPARSE_EMBEDDINGS_URL: `${vendor.url}/sparse`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${vendor.url}/otel`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${next()}`,
    OCR_BASE_URL: `${vendor.url}/ocr`,
    OCR_MODEL: 'm',
    OIDC_PROVIDERS: JSON.stringify({
      people: { name: 'People', issuer: `${vendor.url}/people`, client_id: 'sluice', client_secret: next() },
    }),
  };
}

/** Names of the variables that hold secrets, as the server declares them. */
export const secretVariables = (): string[] =>
  [...new Set([...SERVICE_VARIABLES, ...PARSER_VARIABLES])].filter(isSecretVariable);

/** Lists the files below a folder that contain a planted secret. SQLite's free pages and logs are parts of files. */
export function filesWithSecret(folder: string, planting: Planting): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(folder, name);
    // Sockets have no content; files may be deleted meanwhile.
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() && existsSync(file);
    return isFile && planting.isIn(readFileSync(file));
  });
}

/** Lists each process with a planted secret in its arguments or, unless it was started with one, in its environment. */
export function processesWithSecret(planting: Planting, startedWith: number): string[] {
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const part of ['cmdline', 'environ']) {
      if (part === 'environ' && Number(pid) === startedWith) continue;
      if (planting.isIn(readProcess(pid, part))) found.push(`${part} of ${readProcess(pid, 'comm')}`);
    }
  }
  return found;
}

/** Returns nothing for processes of other users and for those that have ended. */
function readProcess(pid: string, part: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/${part}`);
  } catch {
    return Buffer.alloc(0);
  }
}
