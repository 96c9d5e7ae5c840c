import { newId } from '#src/lib/ids.ts';
import { type KeyRing, SecretError } from '#src/services/secrets/key-ring.ts';
import type { TokenGrant, TokenKey } from '#src/work/token-owner.ts';

const PREFIX = 'token:';
/** A consumer that has not brought the token for so long is taken for dead. */
const LEASE_MS = 60_000;

interface Kept {
  fingerprint: string;
  /** The token, sealed for this place. */
  sealed?: string;
  until?: number;
  lease?: { id: string; until: number };
}

/**
 * Tokens of a pipeline's data sources, sealed in the object's storage so that they outlive it in memory. While one
 * consumer fetches one, the others are told to wait. What a lost encryption key sealed is fetched anew.
 */
export class TokenKeeper {
  readonly #storage: DurableObjectStorage;
  readonly #ring: () => KeyRing;
  /** Where the sealed texts stand: they open for no other object. */
  readonly #objectId: string;

  constructor(state: Pick<DurableObjectState, 'storage' | 'id'>, ring: () => KeyRing) {
    this.#storage = state.storage;
    this.#ring = ring;
    this.#objectId = state.id.toString();
  }

  async take(key: TokenKey): Promise<TokenGrant> {
    const seen = await this.#kept(key);
    // One that a former key sealed is fetched again, so that what is kept does not need that key.
    if (seen?.sealed && (seen.until ?? 0) > Date.now() && !this.#ring().needsRotation(seen.sealed)) {
      const token = await this.#open(key, seen.sealed);
      if (token !== undefined) return { state: 'fresh', token, until: seen.until! };
    }
    // From here on nothing but storage is waited for, so no other call comes in between.
    const now = Date.now();
    const kept = await this.#kept(key);
    if (kept?.sealed !== seen?.sealed || (kept?.lease && kept.lease.until > now)) return { state: 'wait' };
    const lease = { id: newId(), until: now + LEASE_MS };
    await this.#put(key, { fingerprint: key.fingerprint, lease });
    return { state: 'refresh', lease: lease.id };
  }

  async keep(key: TokenKey, lease: string, token: string, until: number): Promise<void> {
    const sealed = await this.#ring().seal(token, this.#place(key));
    const kept = await this.#kept(key);
    if (kept?.lease?.id !== lease) return;
    await this.#put(key, { fingerprint: key.fingerprint, sealed, until });
  }

  async abandon(key: TokenKey, lease: string): Promise<void> {
    if ((await this.#kept(key))?.lease?.id === lease) await this.#storage.delete(nameOf(key));
  }

  async drop(key: TokenKey, token: string): Promise<void> {
    const seen = await this.#kept(key);
    if (!seen?.sealed || (await this.#open(key, seen.sealed)) !== token) return;
    if ((await this.#kept(key))?.sealed === seen.sealed) await this.#storage.delete(nameOf(key));
  }

  async forget(dataSourceId: string): Promise<void> {
    const names = await this.#storage.list({ prefix: `${PREFIX}${dataSourceId}:` });
    for (const name of names.keys()) await this.#storage.delete(name);
  }

  /** What is kept for these settings; what was kept for others counts for nothing. */
  async #kept(key: TokenKey): Promise<Kept | undefined> {
    const kept = await this.#storage.get<Kept>(nameOf(key));
    return kept?.fingerprint === key.fingerprint ? kept : undefined;
  }

  #put(key: TokenKey, kept: Kept): Promise<void> {
    return this.#storage.put(nameOf(key), kept);
  }

  async #open(key: TokenKey, sealed: string): Promise<string | undefined> {
    try {
      return await this.#ring().open(sealed, this.#place(key));
    } catch (error) {
      if (error instanceof SecretError) return undefined;
      throw error;
    }
  }

  #place = (key: TokenKey) => `tokens/${this.#objectId}/${nameOf(key)}`;
}

const nameOf = ({ dataSourceId, name }: TokenKey) => `${PREFIX}${dataSourceId}:${name}`;
