import type { Context } from '#src/context/context.ts';
import { NotFound } from '#src/lib/errors.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { type IdentityProvider, parseIdentityProviders } from '#src/settings/identity-providers.ts';
import type { Settings } from '#src/settings/settings.ts';

const providers = new WeakMap<Settings, Record<string, IdentityProvider>>();

/** Returns the identity providers of the installation by id. */
export function getProviders({ settings }: Pick<Context, 'settings'>): Record<string, IdentityProvider> {
  let known = providers.get(settings);
  if (!known) {
    known = parseIdentityProviders(settings.OIDC_PROVIDERS, settings.ALLOW_PRIVATE_ADDRESSES).providers;
    providers.set(settings, known);
  }
  return known;
}

export function getProvider(ctx: Context, id: string): IdentityProvider {
  const provider = getOwn(getProviders(ctx), id);
  if (!provider) throw new NotFound('Identity provider', id);
  return provider;
}
