/** The stream of bytes that RC4 makes of a key; the runtime's own cryptography does not have it any more. */
export class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, at) => at);
  #i = 0;
  #j = 0;

  constructor(key: Uint8Array) {
    const state = this.#state;
    for (let i = 0, j = 0; i < 256; i++) {
      j = (j + state[i]! + key[i % key.length]!) & 255;
      [state[i], state[j]] = [state[j]!, state[i]!];
    }
  }

  next(): number {
    const state = this.#state;
    this.#i = (this.#i + 1) & 255;
    this.#j = (this.#j + state[this.#i]!) & 255;
    const [a, b] = [state[this.#i]!, state[this.#j]!];
    state[this.#i] = b;
    state[this.#j] = a;
    return state[(a + b) & 255]!;
  }

  /** The bytes encrypted or decrypted, which is the same. */
  apply(bytes: Uint8Array): Uint8Array {
    return bytes.map((byte) => byte ^ this.next());
  }
}
