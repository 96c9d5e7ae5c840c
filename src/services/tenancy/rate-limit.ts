import type { Actor, Context } from '#src/context/context.ts';
import { RateLimited, Unauthenticated } from '#src/lib/errors.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { type BucketState, TokenBuckets } from '#src/lib/token-buckets.ts';
import { count } from '#src/metrics/meter.ts';
import type { Settings } from '#src/settings/settings.ts';
import { isBootstrapKey } from './bootstrap.ts';

/** Maximum number of accepted API keys and cookies that an isolate remembers, as hashes. */
const MAX_KNOWN_CREDENTIALS = 5_000;

interface Limits {
  requests: TokenBuckets;
  signIns: TokenBuckets;
  wrongKeys: TokenBuckets;
  /** Organizations of accepted credentials, by hash. The value is empty if the credential has none. */
  known: Map<string, string>;
}

const limits = new WeakMap<Settings, Limits>();

/** Returns the rate limits of this isolate. Each isolate of a deployment counts separately. */
function getLimits({ settings }: Context): Limits {
  let own = limits.get(settings);
  if (!own) {
    own = {
      requests: new TokenBuckets(settings.RATE_LIMIT_REQUESTS),
      signIns: new TokenBuckets(settings.RATE_LIMIT_SIGN_INS),
      wrongKeys: new TokenBuckets(settings.RATE_LIMIT_WRONG_KEYS),
      known: new Map(),
    };
    limits.set(settings, own);
  }
  return own;
}

function createRefusal(limit: string, message: string, wait: number): RateLimited {
  count('sluice_limit_refusals_total', { limit });
  return new RateLimited(message, wait);
}

/**
 * Counts a request against the limit of its API key. Throws RateLimited if the key has reached its limit for
 * this minute. `onCount` receives the state of the limit, unless the key has none.
 */
export async function countRequest(
  ctx: Context,
  actor: Actor,
  onCount?: (state: BucketState) => void,
): Promise<void> {
  const { requests } = getLimits(ctx);
  const name = actor.keyId ?? actor.sessionId ?? actor.applicationId ?? actor.userId;
  const wait = requests.take(name);
  const isFree = wait > 0 && !ctx.settings.RATE_LIMIT_BOOTSTRAP_KEY && (await isBootstrapKey(ctx, actor));
  if (isFree) return;
  const state = requests.describe(name);
  if (state) onCount?.(state);
  if (wait === 0) return;
  throw createRefusal('requests', 'Too many requests with this key.', wait);
}

/**
 * Counts a sign-in attempt from an address, whether it succeeds or not. Throws RateLimited above the limit.
 */
export function countSignIn(ctx: Context, address: string): void {
  const wait = getLimits(ctx).signIns.take(address);
  if (wait > 0) throw createRefusal('sign_ins', 'Too many attempts to sign in from this address.', wait);
}

/**
 * Returns whether an address has exceeded the limit of wrong credentials. Unknown credentials from this
 * address are then rejected without a lookup.
 */
export function isLookupRefused(ctx: Context, address: string): boolean {
  return getLimits(ctx).wrongKeys.isEmpty(address);
}

/**
 * Returns the caller that `read` finds for a credential. Returns `undefined` if the credential is wrong,
 * which counts against the client's address. Above the limit, only credentials that this isolate has already
 * accepted are looked up. Throws RateLimited for all others.
 */
export async function identifyCaller<Found = Actor>(
  ctx: Context,
  address: string,
  credential: string,
  read: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const { wrongKeys, known } = getLimits(ctx);
  const name = await sha256(credential);
  const isKnown = known.has(name) || (await isBootstrapCredential(ctx, name));
  // The attempt is counted before the lookup and uncounted if the credential is right, so that parallel
  // attempts cannot exceed the limit.
  const wait = wrongKeys.take(address);
  if (wait > 0 && !isKnown)
    throw createRefusal('wrong_keys', 'Too many wrong credentials from this address.', wait);
  const actor = await read().catch((error: unknown) => {
    // An expired key is not known any more. Any other failure says nothing about the credential.
    if (error instanceof Unauthenticated) known.delete(name);
    throw error;
  });
  known.delete(name);
  if (!actor) return undefined;
  if (wait === 0) wrongKeys.refund(address);
  known.set(name, (actor as Partial<Actor>).organizationId ?? '');
  if (known.size > MAX_KNOWN_CREDENTIALS) known.delete(known.keys().next().value!);
  return actor;
}

/**
 * Returns the tenant and caller that wait for a turn. Credentials that this isolate has not accepted yet share one turn,
 * so that wrong keys do not get a turn each.
 */
export async function findTenant(
  ctx: Context,
  credential: string | undefined,
  address: string,
): Promise<{ tenant: string; caller: string }> {
  const caller = credential === undefined ? undefined : await sha256(credential);
  const tenant = caller === undefined ? undefined : getLimits(ctx).known.get(caller);
  return caller === undefined || tenant === undefined ? { tenant: '', caller: address } : { tenant, caller };
}

async function isBootstrapCredential({ settings }: Context, hash: string): Promise<boolean> {
  const key = settings.BOOTSTRAP_API_KEY;
  return key !== undefined && hash === (await sha256(key));
}
