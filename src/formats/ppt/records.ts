/** A piece of the stream "PowerPoint Document": a head of eight bytes, then data or further records. */
export interface PptRecord {
  type: number;
  instance: number;
  isContainer: boolean;
  data: Uint8Array;
}

export const TYPES = {
  document: 1000,
  documentAtom: 1001,
  slide: 1006,
  slideAtom: 1007,
  notes: 1008,
  slideInfo: 1017,
  slidePersist: 1011,
  drawing: 1036,
  list: 4080,
  outlineReference: 3998,
  textHeader: 3999,
  wideText: 4000,
  narrowText: 4008,
  userEdit: 4085,
  places: 6002,
  clientText: 0xf00d,
  encryption: 0x2f14,
} as const;

/** Bytes of type and length before a record's data. */
export const HEAD = 8;
const IS_CONTAINER = 0xf;

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The record at a place; undefined where none fits. What says it is longer than its surroundings ends with them. */
export function recordAt(bytes: Uint8Array, at: number): PptRecord | undefined {
  if (at < 0 || at + HEAD > bytes.length) return undefined;
  const view = viewOf(bytes);
  const head = view.getUint16(at, true);
  const length = view.getUint32(at + 4, true);
  return {
    type: view.getUint16(at + 2, true),
    instance: head >> 4,
    isContainer: (head & IS_CONTAINER) === IS_CONTAINER,
    data: bytes.subarray(at + HEAD, Math.min(bytes.length, at + HEAD + length)),
  };
}

/** The records in a container, in order. */
export function* recordsIn(bytes: Uint8Array): Generator<PptRecord> {
  for (let at = 0; ; ) {
    const record = recordAt(bytes, at);
    if (!record) return;
    yield record;
    at += HEAD + record.data.length;
  }
}

export function firstOf(bytes: Uint8Array, type: number): PptRecord | undefined {
  for (const record of recordsIn(bytes)) if (record.type === type) return record;
  return undefined;
}
