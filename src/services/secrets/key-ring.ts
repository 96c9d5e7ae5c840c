import { fromBase64Url, toBase64Url } from '#src/lib/secrets/base64url.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';

export interface EncryptionKey {
  /**
   * Id of the encryption key, which consists of letters, digits, `_` and `-`. Every encrypted text contains
   * the id of its key.
   */
  id: string;
  key: Uint8Array;
}

/**
 * Encrypts (seals) texts with the current key, and decrypts them with any known key. `aad` names the column
 * and row, so that a copy elsewhere cannot be decrypted.
 */
export interface KeyRing {
  /** Returns `sealed:v1:<key id>:<iv>:<ciphertext>`. The last two parts are encoded in base64url. */
  seal(plain: string, aad: string): Promise<string>;
  /**
   * Decrypts an encrypted text. Throws `SecretError` if the key is unknown, or if the text was changed,
   * truncated or copied elsewhere.
   */
  open(sealed: string, aad: string): Promise<string>;
  /** Returns whether a text was encrypted with a former key and should be encrypted again. */
  needsRotation(sealed: string): boolean;
}

export class SecretError extends Error {
  override readonly name = 'SecretError';
}

const SEALED = /sealed:v1:([\w-]+):([\w-]{16}):([\w-]{22,})/;
const SEALED_WHOLE = new RegExp(`^${SEALED.source}$`);

export function isSealed(text: string): boolean {
  return SEALED_WHOLE.test(text);
}

/** Replaces every encrypted text inside `text` by the result of `replace`. */
export async function replaceSealed(
  text: string,
  replace: (sealed: string) => Promise<string>,
): Promise<string> {
  const parts = text.split(new RegExp(`(${SEALED.source.replaceAll(/\((?!\?)/g, '(?:')})`));
  const replaced = await Promise.all(parts.map((part, index) => (index % 2 === 1 ? replace(part) : part)));
  return replaced.join('');
}

/**
 * Parses the variables with the encryption keys. `ENCRYPTION_KEY` has the form `<key id>:<base64 of 32
 * bytes>`. `ENCRYPTION_KEYS_PREVIOUS` is a comma-separated list of such keys.
 */
export function parseKeyRing(current: string, previous = ''): KeyRing {
  const older = previous.split(',').map((text) => text.trim());
  return createKeyRing(
    parseKey(current, 'ENCRYPTION_KEY'),
    older.filter(Boolean).map((text) => parseKey(text, 'ENCRYPTION_KEYS_PREVIOUS')),
  );
}

function parseKey(text: string, variable: string): EncryptionKey {
  const match = /^([\w-]{1,64}):([A-Za-z0-9+/_-]{43}=?)$/.exec(text.trim());
  const key = match && fromBase64Url(match[2]!.replace('=', ''));
  if (key?.length !== 32) {
    throw new SecretError(`${variable} must have the form <key id>:<base64 of 32 bytes>`);
  }
  return { id: match![1]!, key };
}

export function createKeyRing(current: EncryptionKey, previous: EncryptionKey[] = []): KeyRing {
  const keys = new Map<string, Promise<CryptoKey>>();
  for (const { id, key } of [current, ...previous]) {
    if (keys.has(id)) throw new SecretError(`encryption key id ${id} is used twice`);
    keys.set(id, importKey(key));
  }

  return {
    async seal(plain, aad) {
      rememberSecrets([plain]);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(aad) };
      const sealed = await crypto.subtle.encrypt(algorithm, await keys.get(current.id)!, utf8(plain));
      return `sealed:v1:${current.id}:${toBase64Url(iv)}:${toBase64Url(new Uint8Array(sealed))}`;
    },
    async open(sealed, aad) {
      const [, id, iv, ciphertext] = SEALED_WHOLE.exec(sealed) ?? [];
      if (id === undefined) throw new SecretError('not a sealed text');
      const key = keys.get(id);
      if (!key) {
        throw new SecretError(`encryption key ${id} is not configured: add it to ENCRYPTION_KEYS_PREVIOUS`);
      }
      const algorithm = { name: 'AES-GCM', iv: fromBase64Url(iv!)!, additionalData: utf8(aad) };
      try {
        const plain = await crypto.subtle.decrypt(algorithm, await key, fromBase64Url(ciphertext!)!);
        const text = new TextDecoder().decode(plain);
        rememberSecrets([text]);
        return text;
      } catch {
        throw new SecretError(`a text sealed with key ${id} was changed or belongs to another place`);
      }
    },
    needsRotation: (sealed) => SEALED_WHOLE.exec(sealed)?.[1] !== current.id,
  };
}

function importKey(bytes: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
