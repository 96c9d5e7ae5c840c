import { configHash, toHex } from '#src/lib/secrets/hash.ts';
import { SHARING_PARAMETERS } from './parameters/parameters.ts';

/**
 * Parameters with model keys. Their value does not change the result; their presence decides whose model is
 * used.
 */
const KEYS_OF_MODELS = new Set(['hostedllm_key', 'premium_llm_api_key', 'vendor_multimodal_api_key']);

/** PBKDF2 rounds; the maximum on Cloudflare. */
const ROUNDS = 100_000;
const BITS = 256;

/**
 * Returns the hash of a parse configuration. Parameters that read a file equally have equal hashes. The hash
 * is shown to clients and passwords are short, so they are first hashed slowly to prevent guessing.
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
