import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { PASSWORD_IN_CLEAR } from './protocol.ts';

// Server side of SCRAM-SHA-256 (RFC 5802 and 7677) for one user.

export const USER = 'sluice owner';
const ITERATIONS = 4096;
const SALT = randomBytes(28);

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const salted = pbkdf2Sync(PASSWORD_IN_CLEAR, SALT, ITERATIONS, 32, 'sha256');
const clientKey = hmac(salted, 'Client Key');
const storedKey = createHash('sha256').update(clientKey).digest();
const serverKey = hmac(salted, 'Server Key');

/** Authentication conversation. */
export class Scram {
  readonly #clientFirst: string;
  readonly #serverFirst: string;
  readonly #nonce: string;

  constructor(payload: string) {
    if (!payload.startsWith('n,,')) throw new Error('no channel binding is known here');
    this.#clientFirst = payload.slice('n,,'.length);
    const { n, r } = parseParts(this.#clientFirst);
    if (n !== USER.replaceAll('=', '=3D').replaceAll(',', '=2C')) throw new Error('no such user');
    this.#nonce = `${r}${randomBytes(18).toString('base64')}`;
    this.#serverFirst = `r=${this.#nonce},s=${SALT.toString('base64')},i=${ITERATIONS}`;
  }

  get challenge(): string {
    return this.#serverFirst;
  }

  /** Returns the server proof. Throws if the client proof is wrong. */
  finish(payload: string): string {
    const { c, r, p } = parseParts(payload);
    if (c !== 'biws' || r !== this.#nonce) throw new Error('another conversation');
    const message = [this.#clientFirst, this.#serverFirst, `c=${c},r=${r}`].join(',');
    const signature = hmac(storedKey, message);
    const proof = Buffer.from(p ?? '', 'base64');
    const expected = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!));
    if (proof.length !== expected.length || !timingSafeEqual(proof, expected))
      throw new Error('a wrong proof');
    return `v=${hmac(serverKey, message).toString('base64')}`;
  }
}

function parseParts(text: string): Record<string, string> {
  return Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}
