import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { ParseError } from '#src/documents/errors.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { Flow } from '../shared/flow/flow.ts';
import { isoDate } from '../shared/flow/metadata.ts';
import type { Member } from '../shared/members/members.ts';
import type { NestingContext } from '../shared/members/nesting-context.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import type { ParseInput } from '../shared/parser.ts';
import { withAttachments } from './attachments.ts';
import { narrowMail } from './wide-mail.ts';
import { writeHeaders, writeHtml, writePlain } from './write.ts';

/**
 * Maximum number of lines that start with two hyphens. Each of them may begin a part of the e-mail. The mail
 * library takes 0.1 milliseconds per part and cannot be interrupted.
 */
const MAX_BOUNDARY_LINES = 10_000;
/**
 * Maximum number of lines of an e-mail. The mail library takes about ten microseconds per line. Attachments
 * of 64 MiB have 870,000 lines.
 */
const MAX_LINES = 1_000_000;
const LINE_FEED = 10;
const HYPHEN = 45;

/** Throws ParseError DOCUMENT_TOO_LARGE if an e-mail has too many parts or lines. */
function checkPartCount(bytes: Uint8Array): void {
  let [dividers, lines] = [0, 0];
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    lines += 1;
    if (bytes[at + 1] === HYPHEN && bytes[at + 2] === HYPHEN) dividers += 1;
  }
  if (lines > MAX_LINES) {
    throw new ParseError('DOCUMENT_TOO_LARGE', `The e-mail has more than ${MAX_LINES} lines.`);
  }
  if (dividers > MAX_BOUNDARY_LINES) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The e-mail has more than ${MAX_BOUNDARY_LINES} part boundaries.`,
    );
  }
}

async function readMail(bytes: Uint8Array): Promise<Email> {
  const mail = narrowMail(bytes);
  checkPartCount(mail);
  try {
    return await PostalMime.parse(mail, { maxNestingDepth: 64, forceRfc822Attachments: true });
  } catch (error) {
    throw new ParseError('FILE_IS_BROKEN', `The e-mail cannot be read: ${getErrorMessage(error)}.`, error);
  }
}

const getContentBytes = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);

/**
 * Writes the headers and the body of an e-mail. Returns the attachments that the body displays as pictures.
 */
function writeBody(flow: Flow, email: Email, plan: ParsePlan): Set<Attachment> {
  const shown = new Set<Attachment>();
  writeHeaders(flow, email.subject ?? '', headerLines(email));
  if (!email.html?.trim()) {
    writePlain(flow, email.text ?? '');
    return shown;
  }
  const inline = new Map(
    email.attachments.map((one) => [one.contentId?.replace(/^<|>$/g, '') ?? '', one] as const),
  );
  writeHtml(flow, email.html, plan, (contentId) => {
    const part = inline.get(contentId);
    if (!part) return undefined;
    shown.add(part);
    return getContentBytes(part);
  });
  return shown;
}

const fileName = (attachment: Attachment, index: number) => {
  if (attachment.filename) return attachment.filename;
  return attachment.mimeType === 'message/rfc822' ? `message-${index + 1}.eml` : `attachment-${index + 1}`;
};

/**
 * Opens an e-mail. Its headers and body become one page, followed by the pages of the readable attachments.
 */
export async function openMail(input: ParseInput, context: NestingContext): Promise<OpenDocument> {
  const { bytes, plan, budget } = input;
  const email = await readMail(bytes);
  const flow = new Flow(plan, budget);
  const shown = writeBody(flow, email, plan);
  const metadata: OpenDocument['metadata'] = {
    title: email.subject,
    author: email.from?.name || email.from?.address,
    createdAt: isoDate(email.date),
    messageId: email.messageId,
  };
  const attachments = email.attachments
    .filter((one) => !shown.has(one))
    .map((one, index): Member => {
      const content = getContentBytes(one);
      return { path: fileName(one, index), size: content.length, bytes: () => content };
    });
  return withAttachments({ flow, metadata, attachments }, { plan, context });
}

function addressText(address: Address): string {
  if (address.group) return address.group.map(addressText).join(', ');
  if (address.name === '' || address.name === address.address) return address.address ?? '';
  return `${address.name} <${address.address}>`;
}

/**
 * Returns the names and values of the e-mail headers to show, in their usual order. Leaves out empty headers.
 */
function headerLines(email: Email): [name: string, value: string][] {
  const list = (addresses: Address[] | undefined) =>
    (addresses ?? []).map(addressText).filter(Boolean).join(', ');
  const date = email.headers.find(({ key }) => key === 'date')?.value.trim() ?? '';
  const lines: [string, string][] = [
    ['From', email.from ? addressText(email.from) : ''],
    ['To', list(email.to)],
    ['Cc', list(email.cc)],
    ['Bcc', list(email.bcc)],
    ['Date', date],
    ['Subject', email.subject ?? ''],
  ];
  return lines.filter(([, value]) => value !== '');
}
