/**
 * Sets one bit. Bit sets contain one bit per local chunk id of a shard. The lowest id of a byte is its least
 * significant bit.
 */
export function setBit(bits: Uint8Array, i: number): void {
  bits[i >> 3]! |= 1 << (i & 7);
}

export function clearBit(bits: Uint8Array, i: number): void {
  bits[i >> 3]! &= ~(1 << (i & 7));
}

export function hasBit(bits: Uint8Array, i: number): boolean {
  return ((bits[i >> 3]! >> (i & 7)) & 1) === 1;
}

export function countBits(bits: Uint8Array): number {
  let count = 0;
  for (const word of new Uint32Array(bits.buffer, bits.byteOffset, bits.byteLength / 4)) {
    let x = word - ((word >>> 1) & 0x55555555);
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
    count += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** Lists the set bits in ascending order, at most `limit` of them. */
export function listBits(bits: Uint8Array, limit = Number.POSITIVE_INFINITY): number[] {
  const listed: number[] = [];
  for (let byte = 0; byte < bits.length && listed.length < limit; byte++) {
    for (let rest = bits[byte]!; rest !== 0; rest &= rest - 1) {
      listed.push(byte * 8 + (31 - Math.clz32(rest & -rest)));
    }
  }
  return listed.length > limit ? listed.slice(0, limit) : listed;
}

export function toBitset(members: Iterable<number>, bytes: number): Uint8Array {
  const bits = new Uint8Array(bytes);
  for (const member of members) setBit(bits, member);
  return bits;
}

export function combineBits(a: Uint8Array, b: Uint8Array, how: 'and' | 'or' | 'less'): Uint8Array {
  if (how === 'or') return a.map((byte, i) => byte | b[i]!);
  return a.map((byte, i) => byte & (how === 'and' ? b[i]! : ~b[i]!));
}
