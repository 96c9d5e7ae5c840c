import { configHash, toHex } from '#src/lib/secrets/hash.ts';
import { SHARING_PARAMETERS } from './parameters/parameters.ts';

/**
 * Parameters that contain API keys of models. Their value does not change the result, but their presence
 * determines whose model is used.
 */
const MODEL_KEY_PARAMETERS = new Set(['hostedllm_key', 'premium_llm_api_key', 'vendor_multimodal_api_key']);

/** Number of PBKDF2 rounds, which is the maximum on Cloudflare. */
const ROUNDS = 100_000;
const BITS = 256;

/**
 * Returns the hash of a parse configuration. Parameters that lead to the same result have the same hash.
 * Clients can see the hash and passwords are short, so passwords are hashed slowly first to prevent guessing.
 */
export async function parsingConfigHash(parameters: Record<string, unknown>): Promise<string> {
  const { password, ...others } = parameters;
  const deciding = Object.entries(others)
    .filter(([name]) => !SHARING_PARAMETERS.has(name))
    .map(([name, value]) => [name, MODEL_KEY_PARAMETERS.has(name) ? (value ? true : undefined) : value]);
  if (typeof password === 'string' && password !== '')
    deciding.push(['password', await hashPassword(password)]);
  return configHash(Object.fromEntries(deciding));
}

async function hashPassword(password: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(password), 'PBKDF2', false, ['deriveBits']);
  const salt = encoder.encode('parse parameter password');
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ROUNDS };
  return toHex(await crypto.subtle.deriveBits(derivation, key, BITS));
}
