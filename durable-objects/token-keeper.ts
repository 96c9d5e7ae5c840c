import { newId } from '#src/lib/ids.ts';
import { type KeyRing, SecretError } from '#src/services/secrets/key-ring.ts';
import type { TokenGrant, TokenKey } from '#src/work/token-owner.ts';

const PREFIX = 'token:';
/**
 * Time in milliseconds that a consumer may take to fetch a token. After this time another consumer may fetch
 * the token.
 */
const LEASE_MS = 60_000;

interface StoredToken {
  fingerprint: string;
  /** Access token, encrypted for this Durable Object and storage key. */
  sealed?: string;
  until?: number;
  lease?: { id: string; until: number };
}

/**
 * Stores access tokens of a pipeline's data sources, encrypted, so that they survive the eviction of the
 * object. Only one consumer at a time fetches a token; the others wait. A token that cannot be decrypted is
 * fetched again.
 */
export class TokenKeeper {
  readonly #storage: DurableObjectStorage;
  readonly #ring: () => KeyRing;
  /** Id of this Durable Object. Tokens are encrypted for this id, so no other object can decrypt them. */
  readonly #objectId: string;

  constructor(state: Pick<DurableObjectState, 'storage' | 'id'>, ring: () => KeyRing) {
    this.#storage = state.storage;
    this.#ring = ring;
    this.#objectId = state.id.toString();
  }

  async take(key: TokenKey): Promise<TokenGrant> {
    const seen = await this.#readToken(key);
    // A token that was encrypted with a former key is fetched again, so that the operator can remove the
    // former key.
    if (seen?.sealed && (seen.until ?? 0) > Date.now() && !this.#ring().needsRotation(seen.sealed)) {
      const token = await this.#open(key, seen.sealed);
      if (token !== undefined) return { state: 'fresh', token, until: seen.until! };
    }
    // The code below awaits only storage, so the Durable Object runs no other call in between.
    const now = Date.now();
    const kept = await this.#readToken(key);
    if (kept?.sealed !== seen?.sealed || (kept?.lease && kept.lease.until > now)) return { state: 'wait' };
    const lease = { id: newId(), until: now + LEASE_MS };
    await this.#put(key, { fingerprint: key.fingerprint, lease });
    return { state: 'refresh', lease: lease.id };
  }

  async store(key: TokenKey, lease: string, token: string, until: number): Promise<void> {
    const sealed = await this.#ring().seal(token, this.#getSealedPlace(key));
    const kept = await this.#readToken(key);
    if (kept?.lease?.id !== lease) return;
    await this.#put(key, { fingerprint: key.fingerprint, sealed, until });
  }

  async abandon(key: TokenKey, lease: string): Promise<void> {
    if ((await this.#readToken(key))?.lease?.id === lease) await this.#storage.delete(getStorageKey(key));
  }

  async drop(key: TokenKey, token: string): Promise<void> {
    const seen = await this.#readToken(key);
    if (!seen?.sealed || (await this.#open(key, seen.sealed)) !== token) return;
    if ((await this.#readToken(key))?.sealed === seen.sealed) await this.#storage.delete(getStorageKey(key));
  }

  async forget(dataSourceId: string): Promise<void> {
    const names = await this.#storage.list({ prefix: `${PREFIX}${dataSourceId}:` });
    for (const name of names.keys()) await this.#storage.delete(name);
  }

  /** Returns the token that was stored for these settings. A token for other settings is ignored. */
  async #readToken(key: TokenKey): Promise<StoredToken | undefined> {
    const kept = await this.#storage.get<StoredToken>(getStorageKey(key));
    return kept?.fingerprint === key.fingerprint ? kept : undefined;
  }

  #put(key: TokenKey, kept: StoredToken): Promise<void> {
    return this.#storage.put(getStorageKey(key), kept);
  }

  async #open(key: TokenKey, sealed: string): Promise<string | undefined> {
    try {
      return await this.#ring().open(sealed, this.#getSealedPlace(key));
    } catch (error) {
      if (error instanceof SecretError) return undefined;
      throw error;
    }
  }

  #getSealedPlace = (key: TokenKey) => `tokens/${this.#objectId}/${getStorageKey(key)}`;
}

const getStorageKey = ({ dataSourceId, name }: TokenKey) => `${PREFIX}${dataSourceId}:${name}`;
