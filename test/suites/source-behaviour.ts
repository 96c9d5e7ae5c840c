import { VendorSession } from '#test/vendors/client.ts';
import type { HeldItems } from '#test/vendors/held-items.ts';
import type { Mount, Settings } from '#test/vendors/protocol.ts';
import type { SourceFixture } from './source.suite.ts';
import type { Vendor, VendorItem } from './source-vendor.ts';

const toBase64 = (bytes: Uint8Array) => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
};

/**
 * Runs the source suite against a behaviour of test/vendors, which checks each request against the vendor's
 * API description. `holder` is the behaviour with the items. Others, such as a token endpoint, are mounted
 * beside it. Each returned `access_token` is valid until the suite revokes it.
 */
export function againstVendors(
  holder: string,
  mounts: Mount[],
): Pick<SourceFixture, 'answer' | 'end' | 'vendors'> {
  const sessions = new WeakMap<Vendor, Promise<VendorSession>>();
  const told = new WeakMap<Vendor, string>();
  const openSession = (vendor: Vendor) => {
    const session = sessions.get(vendor) ?? VendorSession.open(mounts);
    sessions.set(vendor, session);
    return session;
  };
  return {
    vendors: { holder, mounts },
    async answer(request, vendor) {
      const session = await openSession(vendor);
      const items = [...vendor.items.values()].map(({ bytes, ...item }) => ({
        ...item,
        base64: toBase64(bytes),
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
    /** Returns mistakes of the server, and rejections that no test planned. */
    async end(vendor) {
      const session = await sessions.get(vendor);
      return session ? (await session.end()).mistakes : [];
    },
  };
}

/** Returns whether an item has a size or time that the API description does not allow. */
function isNonsense({ size, modifiedAt }: Pick<VendorItem, 'size' | 'modifiedAt'>): boolean {
  return !Number.isSafeInteger(size) || Number(size) < 0 || !(Date.parse(modifiedAt) > 0);
}

async function tokenIn(response: Response): Promise<string | undefined> {
  if (!response.headers.get('content-type')?.includes('json')) return undefined;
  const body = (await response.json().catch(() => null)) as { access_token?: unknown } | null;
  return typeof body?.access_token === 'string' ? body.access_token : undefined;
}
