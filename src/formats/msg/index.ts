import { createDataView } from '#src/formats/doc/file-information.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { withAttachments } from '../eml/attachments.ts';
import { writeHeaders, writeHtml, writePlain } from '../eml/write.ts';
import { htmlCharset } from '../html/document.ts';
import { containsHtml, unpackHtml } from '../rtf/encapsulated-html.ts';
import { RtfReader } from '../rtf/reader.ts';
import { OleFile, type OleFolder } from '../shared/containers/ole.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Member } from '../shared/members/members.ts';
import type { NestingContext } from '../shared/members/nesting-context.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import type { ParseInput } from '../shared/parser.ts';
import { HEAD_BYTES, MAX_BODY_BYTES, PROPERTIES, Properties } from './properties.ts';

const RECIPIENT = /^__recip_version1\.0_#/;

const MAX_RECIPIENTS = 1_000;

const TO = 1;

const CC = 2;

const BCC = 3;

interface Person {
  name: string;
  /** E-mail address of the person. Empty if only the sender's company directory knows the address. */
  address: string;
}

const collectTexts = (properties: Properties, ...ids: number[]) =>
  ids.flatMap((id) => properties.text(id)?.trim() || []);

const isAddress = (text: string) => text.includes('@');

// Signatures of compressed and uncompressed RTF bodies, as specified in [MS-OXRTFCP].

const COMPRESSED = 0x75465a4c;

const PLAIN = 0x414c454d;

const HEAD = 16;

const WINDOW = 4096;

const MAX_RTF_BYTES = 16 * 1024 * 1024;

/** Initial content of the decompression dictionary. References in compressed RTF may point into this text. */
const INITIAL_DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** Matches RTF that was generated from a plain text body. */
const FROM_TEXT = /\\fromtext\b/;
const RTF_HEAD = 1024;
const ATTACHMENT = /^__attach_version1\.0_#/;

interface Attachment {
  name: string;
  contentId: string | undefined;
  properties: Properties;
}

/**
 * Opens an Outlook message. Its headers and body come first, followed by the pages of the readable
 * attachments.
 */
export function openMessage(input: ParseInput, context: NestingContext): Promise<OpenDocument> {
  return openFolder(new OleFile(input.bytes).root(), HEAD_BYTES.message, input.plan, context);
}

function openFolder(
  folder: OleFolder,
  headBytes: number,
  plan: ParsePlan,
  context: NestingContext,
): Promise<OpenDocument> {
  const message = new Properties(folder, headBytes);
  const attachments = readAttachments(message);
  const flow = new Flow(plan, context.budget);
  const subject = message.text(PROPERTIES.subject) ?? '';
  writeHeaders(flow, subject, buildHeaderLines(message));
  const shown = writeBody(flow, message, attachments, plan);
  const sent = message.time(PROPERTIES.submitTime) ?? message.time(PROPERTIES.deliveryTime);
  const sender = readSender(message);
  const metadata = {
    title: subject || undefined,
    author: sender.name || sender.address,
    createdAt: sent?.toISOString(),
    messageId: message.text(PROPERTIES.messageId),
  };
  const members = attachments.filter((one) => !shown.has(one)).map((one) => toMember(one, plan));
  return withAttachments({ flow, metadata, attachments: members }, { plan, context });
}

function readAttachments(message: Properties): Attachment[] {
  const folders = message.folder.folderNames.filter((name) => ATTACHMENT.test(name)).sort();
  return folders.flatMap((folderName, index) => {
    const folder = message.folder.folder(folderName);
    if (!folder) return [];
    const properties = new Properties(folder, HEAD_BYTES.part, message.codePage);
    const { fileName, shortFileName, displayName } = PROPERTIES;
    const [declaredName] = [fileName, shortFileName, displayName].flatMap(
      (id) => properties.text(id)?.trim() || [],
    );
    const isMessage = properties.object(PROPERTIES.data) !== undefined;
    const name = declaredName ?? (isMessage ? `message-${index + 1}` : `attachment-${index + 1}`);
    const contentId = properties.text(PROPERTIES.contentId)?.replace(/^<|>$/g, '');
    return [{ name: isMessage && !/\.msg$/i.test(name) ? `${name}.msg` : name, contentId, properties }];
  });
}

/** Writes the body of a message. Returns the attachments that the body displays as pictures. */
function writeBody(
  flow: Flow,
  message: Properties,
  attachments: readonly Attachment[],
  plan: ParsePlan,
): Set<Attachment> {
  const shown = new Set<Attachment>();
  const ownHtml = readHtmlBody(message);
  const plain = message.text(PROPERTIES.body, MAX_BODY_BYTES) ?? '';
  const rtf = ownHtml ? undefined : readRichText(message, plain);
  const html = rtf && containsHtml(rtf) ? unpackHtml(rtf) : ownHtml;
  if (html) {
    const inline = new Map(attachments.toReversed().map((one) => [one.contentId, one]));
    writeHtml(flow, html, plan, (contentId) => {
      const found = inline.get(contentId);
      const bytes = found?.properties.binary(PROPERTIES.data);
      if (found && bytes) shown.add(found);
      return bytes;
    });
  } else if (rtf) new RtfReader(flow, plan).read(rtf);
  else writePlain(flow, plain);
  return shown;
}

function readHtmlBody(message: Properties): string | undefined {
  const bytes = message.binary(PROPERTIES.html);
  if (!bytes) return message.text(PROPERTIES.html, MAX_BODY_BYTES)?.trim() || undefined;
  const page = message.number(PROPERTIES.bodyCodePage);
  const declared = htmlCharset(bytes);
  const text =
    declared || page === undefined ? decodeText(bytes, declared).text : decodeCodePage(bytes, page);
  return text.trim() || undefined;
}

function readRichText(message: Properties, plain: string): Uint8Array | undefined {
  const packed = message.binary(PROPERTIES.compressedRtf);
  const rtf = packed && decompressRtf(packed);
  if (!rtf) return undefined;
  const isPlainTextWrapper = FROM_TEXT.test(new TextDecoder('latin1').decode(rtf.subarray(0, RTF_HEAD)));
  return isPlainTextWrapper && plain.trim() !== '' ? undefined : rtf;
}

function toMember({ name, properties }: Attachment, plan: ParsePlan): Member {
  const message = properties.object(PROPERTIES.data);
  if (message) {
    return {
      path: name,
      size: 0,
      bytes: () => new Uint8Array(),
      asPart: async (context) =>
        Object.assign(await openFolder(message, HEAD_BYTES.inner, plan, context), {
          kind: 'msg' as const,
        }),
    };
  }
  const bytes = () => properties.binary(PROPERTIES.data) ?? new Uint8Array();
  return { path: name, size: properties.getBinarySize(PROPERTIES.data), bytes };
}

/**
 * Decompresses the RTF body of an Outlook message. Returns `undefined` if the data are invalid. If the data
 * are truncated, returns the part that can be decompressed.
 */
export function decompressRtf(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < HEAD) return undefined;
  const view = createDataView(bytes);
  const size = Math.min(MAX_RTF_BYTES, view.getUint32(4, true));
  const kind = view.getUint32(8, true);
  if (kind === PLAIN) return bytes.subarray(HEAD, HEAD + size);
  return kind === COMPRESSED ? inflateRtf(bytes, size) : undefined;
}

function inflateRtf(bytes: Uint8Array, size: number): Uint8Array {
  const window = new Uint8Array(WINDOW);
  window.set(new TextEncoder().encode(INITIAL_DICTIONARY));
  let end = INITIAL_DICTIONARY.length;
  const written: number[] = [];
  const write = (byte: number) => {
    written.push(byte);
    window[end] = byte;
    end = (end + 1) % WINDOW;
  };
  for (let at = HEAD; at < bytes.length && written.length < size; ) {
    const control = bytes[at++]!;
    for (let bit = 0; bit < 8 && at < bytes.length; bit++) {
      if (((control >> bit) & 1) === 0) {
        write(bytes[at++]!);
        continue;
      }
      const reference = (bytes[at]! << 8) | (bytes[at + 1] ?? 0);
      at += 2;
      const from = reference >> 4;
      // A reference to the current write position marks the end of the compressed text.
      if (from === end) return Uint8Array.from(written);
      const length = (reference & 15) + 2;
      for (let index = 0; index < length; index++) write(window[(from + index) % WINDOW]!);
    }
  }
  return Uint8Array.from(written.slice(0, size));
}

function readSender(message: Properties): Person {
  const { representingName, senderName, representingSmtp, senderSmtp, representingAddress, senderAddress } =
    PROPERTIES;
  const [name = ''] = collectTexts(message, representingName, senderName);
  const addresses = collectTexts(message, representingSmtp, senderSmtp, representingAddress, senderAddress);
  return { name, address: addresses.find(isAddress) ?? '' };
}

function formatPerson({ name, address }: Person): string {
  if (address === '' || name === '' || name === address) return name || address;
  return `${name} <${address}>`;
}

function readRecipients(message: Properties): Map<number, string[]> {
  const byType = new Map<number, string[]>();
  const folders = message.folder.folderNames.filter((name) => RECIPIENT.test(name)).sort();
  for (const folderName of folders.slice(0, MAX_RECIPIENTS)) {
    const folder = message.folder.folder(folderName);
    if (!folder) continue;
    const recipient = new Properties(folder, HEAD_BYTES.part, message.codePage);
    const [name = ''] = collectTexts(recipient, PROPERTIES.displayName);
    const addresses = collectTexts(recipient, PROPERTIES.smtpAddress, PROPERTIES.address);
    const type = recipient.number(PROPERTIES.recipientType) ?? TO;
    const text = formatPerson({ name, address: addresses.find(isAddress) ?? '' });
    const known = byType.get(type) ?? [];
    byType.set(type, known);
    if (text !== '') known.push(text);
  }
  return byType;
}

/**
 * Returns the names and values of the message headers to show, in their usual order. Leaves out empty
 * headers.
 */
function buildHeaderLines(message: Properties): [name: string, value: string][] {
  const recipients = readRecipients(message);
  const list = (type: number, display: number) =>
    recipients.get(type)?.join(', ') ?? message.text(display)?.trim() ?? '';
  const sent = message.time(PROPERTIES.submitTime) ?? message.time(PROPERTIES.deliveryTime);
  const lines: [string, string][] = [
    ['From', formatPerson(readSender(message))],
    ['To', list(TO, PROPERTIES.displayTo)],
    ['Cc', list(CC, PROPERTIES.displayCc)],
    ['Bcc', list(BCC, PROPERTIES.displayBcc)],
    ['Date', sent?.toUTCString() ?? ''],
    ['Subject', message.text(PROPERTIES.subject)?.trim() ?? ''],
  ];
  return lines.filter(([, value]) => value !== '');
}
