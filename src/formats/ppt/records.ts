/**
 * A record of the stream "PowerPoint Document": an eight-byte header followed by data or by further records.
 */
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
  programTags: 5000,
  programTag: 5002,
  programData: 5003,
  comment: 12000,
  name: 4026,
  outlineReference: 3998,
  textHeader: 3999,
  wideText: 4000,
  narrowText: 4008,
  userEdit: 4085,
  persistDirectory: 6002,
  shapeGroup: 0xf003,
  shape: 0xf004,
  shapeOptions: 0xf00b,
  moreShapeOptions: 0xf122,
  childAnchor: 0xf00f,
  clientText: 0xf00d,
  encryption: 0x2f14,
} as const;

/** Length in bytes of a record's header. */
export const HEADER_BYTES = 8;
const IS_CONTAINER = 0xf;

export const createDataView = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Reads the record at an offset, or returns `undefined` if no header fits there. A record that claims to be
 * longer than `bytes` ends with them.
 */
export function readRecord(bytes: Uint8Array, at: number): PptRecord | undefined {
  if (at < 0 || at + HEADER_BYTES > bytes.length) return undefined;
  const view = createDataView(bytes);
  const head = view.getUint16(at, true);
  const length = view.getUint32(at + 4, true);
  return {
    type: view.getUint16(at + 2, true),
    instance: head >> 4,
    isContainer: (head & IS_CONTAINER) === IS_CONTAINER,
    data: bytes.subarray(at + HEADER_BYTES, Math.min(bytes.length, at + HEADER_BYTES + length)),
  };
}

/** Yields the records of a container in order. */
export function* iterateRecords(bytes: Uint8Array): Generator<PptRecord> {
  for (let at = 0; ; ) {
    const record = readRecord(bytes, at);
    if (!record) return;
    yield record;
    at += HEADER_BYTES + record.data.length;
  }
}

export function findRecord(bytes: Uint8Array, type: number): PptRecord | undefined {
  for (const record of iterateRecords(bytes)) if (record.type === type) return record;
  return undefined;
}
