import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A provider that answers with whatever ID token a test wants, to see which ones are accepted. */
export class LyingProvider {
  issuer = '';
  /** Changes the claims of the next ID token, which are right otherwise. */
  change: (claims: Record<string, unknown>) => Record<string, unknown> = (claims) => claims;
  /** Signs with a key that the provider does not publish. */
  usesForeignKey = false;
  #nonce = '';
  readonly #keys = pair();
  readonly #foreign = pair();
  readonly #server = createServer((request, response) => this.#answer(request, response));

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url!, this.issuer);
    const sent = this.#respond(url);
    if (sent instanceof URL) response.writeHead(302, { location: sent.href }).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
  }

  /** Returns the address of a redirect, or the body of a JSON answer. */
  #respond(url: URL): unknown {
    if (url.pathname === '/.well-known/openid-configuration') {
      return {
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}/authorize`,
        token_endpoint: `${this.issuer}/token`,
        jwks_uri: `${this.issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      };
    }
    if (url.pathname === '/keys') {
      return {
        keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }],
      };
    }
    if (url.pathname === '/authorize') {
      this.#nonce = url.searchParams.get('nonce')!;
      const back = new URL(url.searchParams.get('redirect_uri')!);
      back.searchParams.set('code', 'any');
      back.searchParams.set('state', url.searchParams.get('state')!);
      return back;
    }
    const { privateKey } = this.usesForeignKey ? this.#foreign : this.#keys;
    return { access_token: 'any', token_type: 'Bearer', expires_in: 60, id_token: this.#sign(privateKey) };
  }

  #sign(key: KeyObject): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = this.change({
      ...{ iss: this.issuer, aud: 'sluice', sub: 'mallory', nonce: this.#nonce, iat: now, exp: now + 60 },
      ...{ email: 'mallory@example.com', email_verified: true },
    });
    const text = `${encode({ alg: 'RS256', kid: 'k1' })}.${encode(claims)}`;
    return `${text}.${createSign('sha256').update(text).sign(key).toString('base64url')}`;
  }
}
