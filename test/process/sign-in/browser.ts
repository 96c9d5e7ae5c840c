/** Minimal browser: keeps cookies for each origin and follows redirects only when it is told to. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>();
  /** Names of the cookies that are sent only if the address was opened from the same site. */
  readonly #strict = new Set<string>();

  /** Opens an address. `from` is the page whose link or redirect leads to it, if there is one. */
  async get(address: string, from = address): Promise<Response> {
    const { origin } = new URL(address);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    const isCrossSite = new URL(from).origin !== origin;
    const sent = [...jar].filter(([name]) => !(isCrossSite && this.#strict.has(name)));
    const cookie = sent.map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/samesite=strict/i.test(line)) this.#strict.add(name);
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, pair.slice(name.length + 1));
    }
    return response;
  }

  /** Follows redirects until one leads to an address for which `isEnd` returns true. Returns this address. */
  async follow(address: string, isEnd: (address: string) => boolean): Promise<string> {
    let next = address;
    for (let hop = 0; hop < 20; hop += 1) {
      if (isEnd(next)) return next;
      const response = await this.get(next);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
      next = new URL(location, next).href;
    }
    throw new Error(`${address} redirects without end`);
  }

  getCookie(origin: string, name: string): string | undefined {
    return this.#jars.get(origin)?.get(name);
  }

  setCookie(origin: string, name: string, value: string): void {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar.set(name, value));
  }
}
