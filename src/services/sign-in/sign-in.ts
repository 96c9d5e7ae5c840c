import type { Context } from '#src/context/context.ts';
import { DomainError, getErrorMessage, NotFound } from '#src/lib/errors.ts';
import { recordEvent } from '#src/services/audit/record.ts';
import { recordFailure } from '#src/services/audit/record-failure.ts';
import { deriveFirstOrganizationId, ensureBootstrap } from '#src/services/tenancy/bootstrap.ts';
import { endSession, openIdentitySession } from '#src/services/tenancy/sessions.ts';
import { type AccountChange, findAccount } from './find-account.ts';
import { buildAuthorizationUrl, exchangeCode } from './provider-client.ts';
import { getProvider } from './providers.ts';
import { type Refusal, SignInRefused } from './refusal.ts';
import { chooseReturnPath, openTransaction, sealTransaction, TRANSACTION_SECONDS } from './transaction.ts';

interface Beginning {
  redirectUri: string;
  /** Path of the console that the browser asked to open after sign-in. */
  returnTo: string | null | undefined;
  /** Session that the browser has now. It ends when the sign-in succeeds. */
  sessionId: string | undefined;
}

/** Begins a sign-in. Returns the provider's address for the browser and the cookie that the callback needs. */
export async function beginSignIn(
  ctx: Context,
  id: string,
  { redirectUri, returnTo, sessionId }: Beginning,
): Promise<{ location: string; cookie: string }> {
  const { location, ...secrets } = await buildAuthorizationUrl(ctx, getProvider(ctx, id), redirectUri);
  const cookie = await sealTransaction(ctx.settings.SESSION_SECRET, {
    ...secrets,
    provider: id,
    returnTo: chooseReturnPath(returnTo),
    sessionId,
    end: Date.now() + TRANSACTION_SECONDS * 1000,
  });
  return { location, cookie };
}

interface Callback {
  /** URL of the callback with the parameters of the provider. */
  callback: URL;
  /** Value of the cookie that `beginSignIn` returned. */
  cookie: string | undefined;
  redirectUri: string;
  requestId: string;
  address: string;
  /** Coarse description of the browser, for the list of the user's sessions. */
  browser: string | null;
}

/**
 * Finishes a sign-in and ends the session that the browser had before. Returns the value of the new session cookie
 * and the path to open, or the reason of the refusal. Both results are recorded in the audit log, unless the browser
 * has begun no sign-in.
 */
export async function finishSignIn(
  ctx: Context,
  id: string,
  { callback, cookie, redirectUri, requestId, address, browser }: Callback,
): Promise<{ session: string; returnTo: string } | { refusal: Refusal }> {
  const provider = getProvider(ctx, id);
  await ensureBootstrap(ctx);
  const organizationId = provider.organization_id ?? (await deriveFirstOrganizationId());
  const request = { organizationId, requestId, address };
  const event = {
    ...request,
    operation: 'signInWithProvider',
    objectType: 'identity_provider',
    objectId: id,
  };
  const transaction = cookie && (await openTransaction(ctx.settings.SESSION_SECRET, cookie));
  if (!transaction || transaction.provider !== id) {
    // Anyone can open this address, so the audit log gets no event.
    ctx.log.warn('sign-in refused', { provider: id, refusal: 'expired' });
    return { refusal: 'expired' };
  }
  try {
    const claims = await exchangeCode(ctx, provider, { callback, transaction, redirectUri });
    const record = (operation: AccountChange, user: string) =>
      recordEvent(ctx, { ...request, operation, userId: user, objectType: 'user', objectId: user });
    const userId = await findAccount(ctx, { provider, organizationId, claims, record });
    const session = await openIdentitySession(ctx, { organizationId, userId, browser });
    if (transaction.sessionId !== undefined) await endSession(ctx, transaction.sessionId);
    await recordEvent(ctx, { ...event, userId });
    return { session, returnTo: transaction.returnTo };
  } catch (error) {
    if (error instanceof NotFound) throw error;
    const refusal = getRefusal(error, callback);
    ctx.log.warn('sign-in refused', { provider: id, refusal, error: describeFailure(error) });
    await recordFailure(ctx, event, address);
    return { refusal };
  }
}

function getRefusal(error: unknown, callback: URL): Refusal {
  if (error instanceof SignInRefused) return error.reason;
  return callback.searchParams.get('error') === 'access_denied' ? 'denied' : 'failed';
}

/** Describes a failure for the log. Messages of the library never quote a token. */
function describeFailure(error: unknown): string {
  if (error instanceof DomainError || error instanceof SignInRefused) return error.message;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${code}: ${getErrorMessage(error)}` : getErrorMessage(error);
}
