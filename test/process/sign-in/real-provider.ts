import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'sluice', secret: 'a client secret that only the tests use' };

/** A real OpenID Connect provider on loopback. It signs in the account in `account` without asking. */
export class RealProvider {
  /** Claims of the account that signs in next. */
  account: { sub: string } & Record<string, unknown> = { sub: 'nobody' };
  issuer = '';
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #provider: Provider | undefined;

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Registers the service, whose address is known only after its start. */
  register(redirectUri: string): void {
    const accounts = new Map<string, Record<string, unknown>>();
    this.#provider = new Provider(this.issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
      cookies: { keys: ['a cookie key that only the tests use'] },
      features: { devInteractions: { enabled: false } },
      claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      findAccount: (_context, id) => {
        if (id === this.account.sub) accounts.set(id, this.account);
        return { accountId: id, claims: async () => ({ ...accounts.get(id), sub: id }) };
      },
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider!;
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response);
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const result = { login: { accountId: this.account.sub } };
      return provider.interactionFinished(request, response, result);
    }
    const known = grantId ? await provider.Grant.find(grantId) : undefined;
    const clientId = String(params.client_id);
    const grant = known ?? new provider.Grant({ accountId: session!.accountId, clientId });
    const { missingOIDCScope, missingOIDCClaims } = prompt.details as Record<string, string[] | undefined>;
    if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
    if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
    const result = { consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }
}
