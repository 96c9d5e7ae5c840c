let table: Uint32Array | undefined;

/** For each byte what it does to a checksum. */
export function crcTable(): Uint32Array {
  table ??= Uint32Array.from({ length: 256 }, (_, seed) => {
    let value = seed;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value >>> 0;
  });
  return table;
}

/** The checksum of zip and PNG. */
export function crc32(bytes: Uint8Array): number {
  const known = crcTable();
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) crc = known[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
