import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { messageOf } from '#src/errors.ts';
import type { Page } from './document.ts';
import { headerLines } from './eml/headers.ts';
import { ParseError, StrictModeError } from './errors.ts';
import { finishDocument } from './finish.ts';
import { Flow } from './flow/flow.ts';
import { HtmlConverter } from './html/convert.ts';
import { dataUri } from './html/document.ts';
import { exclusionRule } from './html/visibility.ts';
import { isoDate } from './metadata.ts';
import { paragraphsOf } from './paragraphs.ts';
import type { OpenDocument, ParseInput } from './parser.ts';
import { parseMarkup } from './xml.ts';

/** Opens an attachment by what it holds; absent where mails inside mails are too many levels deep. */
export type OpenAttachment = (input: ParseInput) => Promise<OpenDocument>;

const MAX_ATTACHMENTS = 100;

interface OpenedAttachment {
  name: string;
  document: OpenDocument;
  /** The index of its first page in the whole mail. */
  firstPage: number;
}

/** Lines that may part a mail: the library takes a tenth of a millisecond for each part, in one go. */
const MOST_DIVIDERS = 10_000;
const LINE_FEED = 10;
const HYPHEN = 45;

function requireFewParts(bytes: Uint8Array): void {
  let dividers = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (bytes[at + 1] === HYPHEN && bytes[at + 2] === HYPHEN) dividers += 1;
  }
  if (dividers > MOST_DIVIDERS) {
    throw new ParseError('DOCUMENT_TOO_LARGE', `The mail has more than ${MOST_DIVIDERS} lines that part it.`);
  }
}

async function readMail(bytes: Uint8Array): Promise<Email> {
  requireFewParts(bytes);
  try {
    return await PostalMime.parse(bytes, { maxNestingDepth: 64, forceRfc822Attachments: true });
  } catch (error) {
    throw new ParseError('FILE_IS_BROKEN', `The mail cannot be read: ${messageOf(error)}.`, error);
  }
}

const contentOf = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);

/** Gives the attachments that the body itself shows. */
function writeBody(flow: Flow, email: Email, parameters: ParseInput['parameters']): Set<Attachment> {
  const shown = new Set<Attachment>();
  flow.heading(1, [{ text: email.subject ?? '' }]);
  const lines = headerLines(email).flatMap(([name, value], index) => [
    { text: index > 0 ? '\n' : '' },
    { text: `${name}:`, bold: true },
    { text: ` ${value}` },
  ]);
  flow.paragraph(lines);
  if (!email.html?.trim()) {
    for (const paragraph of paragraphsOf((email.text ?? '').replace(/\r\n?/g, '\n'))) {
      const text = paragraph.body.trim();
      flow.block({ type: 'paragraph', text, markdown: text });
    }
    return shown;
  }
  const inline = new Map(
    email.attachments.map((one) => [one.contentId?.replace(/^<|>$/g, '') ?? '', one] as const),
  );
  const root = parseMarkup(email.html, { html: true });
  new HtmlConverter({
    flow,
    isExcluded: exclusionRule(root, parameters),
    image: (source) => {
      const part = /^cid:/i.test(source) ? inline.get(contentId(source.slice(4))) : undefined;
      if (!part) return dataUri(source);
      shown.add(part);
      return contentOf(part);
    },
  }).convert(root);
  return shown;
}

function contentId(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

const fileName = (attachment: Attachment, index: number) => {
  if (attachment.filename) return attachment.filename;
  return attachment.mimeType === 'message/rfc822' ? `message-${index + 1}.eml` : `attachment-${index + 1}`;
};

/** Pages of an attachment follow the mail's; their figures are named after it to stay unique. */
function joined(body: OpenDocument, attachments: OpenedAttachment[]): OpenDocument {
  const last = attachments.at(-1);
  const locate = (index: number) => {
    const position = attachments.findLastIndex(({ firstPage }) => firstPage <= index);
    const found = attachments[position];
    return found
      ? { ...found, prefix: `attachment-${position + 1}-`, inner: index - found.firstPage }
      : undefined;
  };
  return {
    pageCount: last ? last.firstPage + last.document.pageCount : body.pageCount,
    metadata: body.metadata,
    unlocked: attachments.some(({ document }) => document.unlocked === true),
    async readPage(index) {
      const at = locate(index);
      if (!at) return body.readPage(index);
      const page = await at.document.readPage(at.inner);
      const label = at.document.pageCount > 1 ? `${at.name}, ${page.label}` : at.name;
      const figures = page.figures.map((figure) => ({
        ...figure,
        name: at.prefix + figure.name,
        pageIndex: index,
      }));
      let { markdown } = page;
      const blocks = page.blocks.map((block) => ({ ...block }));
      for (const { name } of page.figures) {
        markdown = markdown.replaceAll(`](${name})`, `](${at.prefix}${name})`);
        for (const block of blocks)
          block.markdown = block.markdown.replaceAll(`](${name})`, `](${at.prefix}${name})`);
      }
      return { ...page, index, label, markdown, blocks, figures } satisfies Page;
    },
    async readFigure(pageIndex, name) {
      const at = locate(pageIndex);
      if (!at) return body.readFigure(pageIndex, name);
      return name.startsWith(at.prefix)
        ? at.document.readFigure(at.inner, name.slice(at.prefix.length))
        : undefined;
    },
    close() {
      body.close();
      for (const { document } of attachments) document.close();
    },
  };
}

/** A mail: its headers and body as one page, then the pages of each attachment that can be read. */
export async function openMail(input: ParseInput, openAttachment?: OpenAttachment): Promise<OpenDocument> {
  const { bytes, parameters } = input;
  const email = await readMail(bytes);
  const flow = new Flow(parameters);
  const shown = writeBody(flow, email, parameters);
  const metadata: OpenDocument['metadata'] = {
    title: email.subject,
    author: email.from?.name || email.from?.address,
    createdAt: isoDate(email.date),
    messageId: email.messageId,
  };
  const files = email.attachments.filter((one) => !shown.has(one));
  const names = files.map(fileName);
  const failures: { name: string; reason: string }[] = [];
  const opened: Omit<OpenedAttachment, 'firstPage'>[] = [];
  const notes: string[] = [];
  for (const [index, file] of files.entries()) {
    const name = names[index]!;
    try {
      if (!openAttachment) throw new Error('The mail is too many levels deep.');
      if (index >= MAX_ATTACHMENTS) throw new Error(`The mail has more than ${MAX_ATTACHMENTS} attachments.`);
      opened.push({ name, document: await openAttachment({ bytes: contentOf(file), name, parameters }) });
    } catch (error) {
      if (error instanceof StrictModeError) throw error;
      const reason = messageOf(error);
      failures.push({ name, reason });
      notes[index] = ` (not read: ${reason})`;
    }
  }
  if (names.length > 0) {
    metadata.attachments = names;
    flow.heading(2, [{ text: 'Attachments' }]);
    for (const [index, name] of names.entries()) {
      flow.listItem({ level: 0, ordered: false, runs: [{ text: name + (notes[index] ?? '') }] });
    }
  }
  if (failures.length > 0) metadata.failedAttachments = failures;
  const body = finishDocument(flow, metadata);
  let nextPage = body.pageCount;
  const placed = opened.map(({ name, document }): OpenedAttachment => {
    const firstPage = nextPage;
    nextPage += document.pageCount;
    return { name, document, firstPage };
  });
  return joined(body, placed);
}
