import { inflateSync } from 'fflate';

/** Stands in for pako in the Worker (wrangler.toml, [alias]): TIFF needs one function of it, and fflate is here. */
export function inflateRaw(data: Uint8Array): Uint8Array {
  return inflateSync(data);
}
