import { createDataView } from '#src/formats/doc/file-information.ts';
import type { OleFolder } from '#src/formats/shared/containers/ole.ts';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';

// Ids of Outlook message properties, as specified in [MS-OXPROPS]. Their storage is specified in [MS-OXMSG],
// section 2.

export const PROPERTIES = {
  subject: 0x0037,
  submitTime: 0x0039,
  representingName: 0x0042,
  representingAddress: 0x0065,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  recipientType: 0x0c15,
  displayBcc: 0x0e02,
  displayCc: 0x0e03,
  displayTo: 0x0e04,
  deliveryTime: 0x0e06,
  body: 0x1000,
  compressedRtf: 0x1009,
  html: 0x1013,
  messageId: 0x1035,
  displayName: 0x3001,
  address: 0x3003,
  data: 0x3701,
  shortFileName: 0x3704,
  fileName: 0x3707,
  contentId: 0x3712,
  smtpAddress: 0x39fe,
  bodyCodePage: 0x3fde,
  codePage: 0x3ffd,
  senderSmtp: 0x5d01,
  representingSmtp: 0x5d02,
} as const;

const TEXT = '001F';
const NARROW_TEXT = '001E';
const BINARY = '0102';
/**
 * Maximum length in bytes of a short text, such as a name. `MAX_BODY_BYTES` is the maximum length of a
 * message body.
 */
const MAX_NAME_BYTES = 64 * 1024;
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
const PROPERTY_STREAM = '__properties_version1.0';
const ENTRY = 16;
const LONG = 0x0003;
const TIME = 0x0040;
/** Milliseconds between the Windows epoch (1601) and the Unix epoch (1970). */
const EPOCH_MS = 11_644_473_600_000;
const WINDOWS_LATIN = 1252;

/**
 * Number of header bytes before the properties of a message (`message`), of an embedded message (`inner`),
 * and of attachments and recipients (`part`).
 */
export const HEAD_BYTES = { message: 32, inner: 24, part: 8 } as const;

export class Properties {
  readonly folder: OleFolder;
  readonly codePage: number;
  readonly #fixed = new Map<number, { type: number; view: DataView }>();

  /**
   * `codePage` is the encoding of texts that are not Unicode. A code page in the properties takes precedence.
   */
  constructor(folder: OleFolder, headBytes: number, codePage?: number) {
    this.folder = folder;
    const stream = folder.stream(PROPERTY_STREAM) ?? new Uint8Array();
    for (let at = headBytes; at + ENTRY <= stream.length; at += ENTRY) {
      const view = createDataView(stream.subarray(at, at + ENTRY));
      this.#fixed.set(view.getUint16(2, true), { type: view.getUint16(0, true), view });
    }
    this.codePage = this.number(PROPERTIES.codePage) ?? codePage ?? WINDOWS_LATIN;
  }

  /** Returns a text property, or `undefined` if it is missing or longer than `most` bytes. */
  text(id: number, most = MAX_NAME_BYTES): string | undefined {
    const wide = this.#stream(id, TEXT, most);
    if (wide) return decodeCodePage(wide, 1200).replaceAll('\0', '');
    const narrow = this.#stream(id, NARROW_TEXT, most);
    return narrow && decodeCodePage(narrow, this.codePage).replaceAll('\0', '');
  }

  binary(id: number): Uint8Array | undefined {
    return this.#stream(id, BINARY);
  }

  getBinarySize(id: number): number {
    return this.folder.getSize(getStreamName(id, BINARY)) ?? 0;
  }

  object(id: number): OleFolder | undefined {
    return this.folder.folder(getStreamName(id, '000D'));
  }

  number(id: number): number | undefined {
    const found = this.#fixed.get(id);
    return found?.type === LONG ? found.view.getUint32(8, true) : undefined;
  }

  time(id: number): Date | undefined {
    const found = this.#fixed.get(id);
    if (found?.type !== TIME) return undefined;
    const milliseconds = Number(found.view.getBigUint64(8, true) / 10_000n) - EPOCH_MS;
    const time = new Date(milliseconds);
    return milliseconds > 0 && !Number.isNaN(time.getTime()) ? time : undefined;
  }

  #stream(id: number, type: string, most = Number.POSITIVE_INFINITY): Uint8Array | undefined {
    const name = getStreamName(id, type);
    return (this.folder.getSize(name) ?? 0) <= most ? this.folder.stream(name) : undefined;
  }
}

const getStreamName = (id: number, type: string) =>
  `__substg1.0_${id.toString(16).toUpperCase().padStart(4, '0')}${type}`;
