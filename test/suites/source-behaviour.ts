import { VendorSession } from '#test/vendors/client.ts';
import type { HeldItems } from '#test/vendors/held-items.ts';
import type { Mount, Settings } from '#test/vendors/protocol.ts';
import type { SourceFixture } from './source.suite.ts';
import type { Vendor, VendorItem } from './source-vendor.ts';

const base64Of = (bytes: Uint8Array) => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
};

/**
 * Lets the source suite run against behaviours of test/vendors, so that each request is judged by the vendor's
 * description. `holder` is the one that holds the items; others, such as a token endpoint, are mounted beside it. What
 * an answer gives as `access_token` is a good token until the suite says otherwise.
 */
export function againstVendors(
  holder: string,
  mounts: Mount[],
): Pick<SourceFixture, 'answer' | 'end' | 'silenceSeconds' | 'vendors'> {
  const sessions = new WeakMap<Vendor, Promise<VendorSession>>();
  const told = new WeakMap<Vendor, string>();
  const sessionOf = (vendor: Vendor) => {
    const session = sessions.get(vendor) ?? VendorSession.open(mounts);
    sessions.set(vendor, session);
    return session;
  };
  return {
    silenceSeconds: 2,
    vendors: { holder, mounts },
    async answer(request, vendor) {
      const session = await sessionOf(vendor);
      const items = [...vendor.items.values()].map(({ bytes, ...item }) => ({
        ...item,
        base64: base64Of(bytes),
      }));
      const { pageSize, tokens } = vendor;
      const held: HeldItems = { items, pageSize, tokens: [...tokens], nonsense: items.some(isNonsense) };
      const text = JSON.stringify(held);
      if (told.get(vendor) !== text) await session.hold({ [holder]: held as unknown as Settings });
      told.set(vendor, text);
      const response = await session.fetch(request);
      const given = await tokenIn(response.clone());
      if (given !== undefined) vendor.tokens.add(given);
      return response;
    },
    /** What the server did wrong, and what the vendor refused although nothing was to go wrong. */
    async end(vendor) {
      const session = await sessions.get(vendor);
      return session ? (await session.end()).mistakes : [];
    },
  };
}

/** What some listings of the suite say of sizes and times no description allows. */
function isNonsense({ size, modifiedAt }: Pick<VendorItem, 'size' | 'modifiedAt'>): boolean {
  return !Number.isSafeInteger(size) || Number(size) < 0 || !(Date.parse(modifiedAt) > 0);
}

async function tokenIn(response: Response): Promise<string | undefined> {
  if (!response.headers.get('content-type')?.includes('json')) return undefined;
  const body = (await response.json().catch(() => null)) as { access_token?: unknown } | null;
  return typeof body?.access_token === 'string' ? body.access_token : undefined;
}
