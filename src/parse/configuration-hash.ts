import { configHash, toHex } from '#src/lib/secrets/hash.ts';
import { SHARING_PARAMETERS } from './parameters/parameters.ts';

/** Keys of models: another one reads alike, and that there is one says whose model reads. */
const KEYS_OF_MODELS = new Set(['hostedllm_key', 'premium_llm_api_key', 'vendor_multimodal_api_key']);

/** As many as the platform does at once. */
const ROUNDS = 100_000;
const BITS = 256;

/**
 * Names a parse's configuration: parameters that read a file alike have the same hash. It is shown, and passwords of
 * files are short: one is hashed slowly first, so that trying them all takes long.
 */
export async function parsingConfigHash(parameters: Record<string, unknown>): Promise<string> {
  const { password, ...others } = parameters;
  const deciding = Object.entries(others)
    .filter(([name]) => !SHARING_PARAMETERS.has(name))
    .map(([name, value]) => [name, KEYS_OF_MODELS.has(name) ? (value ? true : undefined) : value]);
  if (typeof password === 'string' && password !== '') deciding.push(['password', await stretched(password)]);
  return configHash(Object.fromEntries(deciding));
}

async function stretched(password: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(password), 'PBKDF2', false, ['deriveBits']);
  const salt = encoder.encode('parse parameter password');
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ROUNDS };
  return toHex(await crypto.subtle.deriveBits(derivation, key, BITS));
}
