import { inflateSync } from 'fflate';

/**
 * Replaces pako in the Worker (wrangler.toml, [alias]). The TIFF reader needs only this function, which
 * fflate provides.
 */
export function inflateRaw(data: Uint8Array): Uint8Array {
  return inflateSync(data);
}
