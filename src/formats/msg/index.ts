import type { ParsePlan } from '#src/parse/plan.ts';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { withAttachments } from '../eml/attachments.ts';
import { writeHeaders, writeHtml, writePlain } from '../eml/write.ts';
import { htmlCharset } from '../html/document.ts';
import { RtfReader } from '../rtf/reader.ts';
import { OleFile, type OleFolder } from '../shared/containers/ole.ts';
import type { ParseInput } from '../shared/driver.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Inside } from '../shared/members/inside.ts';
import type { Member } from '../shared/members/members.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import { decompressRtf } from './compressed-rtf.ts';
import { headersOf, senderOf } from './headers.ts';
import { HEAD_BYTES, LONGEST_BODY, PROPERTIES, Properties } from './properties.ts';

/** RTF that only stands for a body that was plain text. */
const FROM_TEXT = /\\fromtext\b/;
const RTF_HEAD = 1024;
const ATTACHMENT = /^__attach_version1\.0_#/;

interface Attachment {
  name: string;
  contentId: string | undefined;
  properties: Properties;
}

/** A message as Outlook saves it: headers and body, then the pages of each attachment that can be read. */
export function openMessage(input: ParseInput, inside: Inside): Promise<OpenDocument> {
  return openFolder(new OleFile(input.bytes).root(), HEAD_BYTES.message, input.plan, inside);
}

function openFolder(
  folder: OleFolder,
  headBytes: number,
  plan: ParsePlan,
  inside: Inside,
): Promise<OpenDocument> {
  const message = new Properties(folder, headBytes);
  const attachments = attachmentsOf(message);
  const flow = new Flow(plan, inside.budget);
  const subject = message.text(PROPERTIES.subject) ?? '';
  writeHeaders(flow, subject, headersOf(message));
  const shown = writeBody(flow, message, attachments, plan);
  const sent = message.time(PROPERTIES.submitTime) ?? message.time(PROPERTIES.deliveryTime);
  const sender = senderOf(message);
  const metadata = {
    title: subject || undefined,
    author: sender.name || sender.address,
    createdAt: sent?.toISOString(),
    messageId: message.text(PROPERTIES.messageId),
  };
  const members = attachments.filter((one) => !shown.has(one)).map((one) => memberOf(one, plan));
  return withAttachments({ flow, metadata, attachments: members }, { plan, inside });
}

function attachmentsOf(message: Properties): Attachment[] {
  const folders = message.folder.folderNames.filter((name) => ATTACHMENT.test(name)).sort();
  return folders.flatMap((folderName, index) => {
    const folder = message.folder.folder(folderName);
    if (!folder) return [];
    const properties = new Properties(folder, HEAD_BYTES.part, message.codePage);
    const { fileName, shortFileName, displayName } = PROPERTIES;
    const [said] = [fileName, shortFileName, displayName].flatMap((id) => properties.text(id)?.trim() || []);
    const isMessage = properties.object(PROPERTIES.data) !== undefined;
    const name = said ?? (isMessage ? `message-${index + 1}` : `attachment-${index + 1}`);
    const contentId = properties.text(PROPERTIES.contentId)?.replace(/^<|>$/g, '');
    return [{ name: isMessage && !/\.msg$/i.test(name) ? `${name}.msg` : name, contentId, properties }];
  });
}

/** Gives the attachments that the body itself shows. */
function writeBody(
  flow: Flow,
  message: Properties,
  attachments: readonly Attachment[],
  plan: ParsePlan,
): Set<Attachment> {
  const shown = new Set<Attachment>();
  const html = htmlOf(message);
  const plain = message.text(PROPERTIES.body, LONGEST_BODY) ?? '';
  const rtf = html ? undefined : richText(message, plain);
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

function htmlOf(message: Properties): string | undefined {
  const bytes = message.binary(PROPERTIES.html);
  if (!bytes) return message.text(PROPERTIES.html, LONGEST_BODY)?.trim() || undefined;
  const page = message.number(PROPERTIES.bodyCodePage);
  const declared = htmlCharset(bytes);
  const text =
    declared || page === undefined ? decodeText(bytes, declared).text : decodeCodePage(bytes, page);
  return text.trim() || undefined;
}

function richText(message: Properties, plain: string): Uint8Array | undefined {
  const packed = message.binary(PROPERTIES.compressedRtf);
  const rtf = packed && decompressRtf(packed);
  if (!rtf) return undefined;
  const stands = FROM_TEXT.test(new TextDecoder('latin1').decode(rtf.subarray(0, RTF_HEAD)));
  return stands && plain.trim() !== '' ? undefined : rtf;
}

function memberOf({ name, properties }: Attachment, plan: ParsePlan): Member {
  const message = properties.object(PROPERTIES.data);
  if (message) {
    return {
      path: name,
      size: 0,
      bytes: () => new Uint8Array(),
      asPart: async (inside) =>
        Object.assign(await openFolder(message, HEAD_BYTES.inner, plan, inside), {
          kind: 'msg' as const,
        }),
    };
  }
  const bytes = () => properties.binary(PROPERTIES.data) ?? new Uint8Array();
  return { path: name, size: properties.sizeOfBinary(PROPERTIES.data), bytes };
}
