import type { Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { withOmissions } from '../shared/containers/unread-parts.ts';
import { type Archive, openZip } from '../shared/containers/zip.ts';
import { createNoDataError } from '../shared/flow/finish.ts';
import { type Member, Members } from '../shared/members/members.ts';
import type { NestingContext } from '../shared/members/nesting-context.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import type { ParseInput } from '../shared/parser.ts';

const MAX_PATH_LENGTH = 1024;
/** Names of files that operating systems add to archives. The parser skips these files. */
const SYSTEM_FILES = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);
const RESOURCE_FORKS = '__MACOSX';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed from displayed names
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

/**
 * Opens a zip archive. The pages of its files follow each other in the order of the archive's directory. A
 * file that cannot be read becomes one page that states the reason.
 */
export async function openArchive(input: ParseInput, context: NestingContext): Promise<OpenDocument> {
  const { bytes, plan, budget } = input;
  // A file of the archive may be opened several times. `paysOnce` charges its decompression to the work
  // budget only once.
  const archive = openZip(bytes, { budget, password: plan.pages.password, paysOnce: true });
  const all = archive.names.filter(isFile).map((name) => createMember(archive, name));
  if (all.length === 0) throw createNoDataError();
  const members = await Members.open(all, { plan, context, prefix: 'member' });
  const failed = [...members.failures];
  const isLocked = archive.names.some(archive.isLocked);
  if (members.opened.length === 0 && failed[0]) {
    const [{ path }, { reason, message }] = failed[0];
    throw new ParseError(reason, `No file in the archive can be read. ${path}: ${removeReason(message)}`);
  }
  const metadata = withOmissions(
    {
      members: members.opened.map(({ member, kind, firstPage, pageCount }) => ({
        path: member.path,
        kind,
        firstPage,
        pageCount,
      })),
      ...(failed.length > 0 && {
        failedMembers: failed.map(([{ path }, { message }]) => ({ name: path, reason: message })),
      }),
    },
    members.omissions,
  );
  const read = members.pageCount;
  return {
    pageCount: read + failed.length,
    metadata,
    unlocked: members.unlocked || isLocked,
    readPage: async (index, turn, options) =>
      index < read
        ? members.readPage(index, turn, options)
        : createUnreadPage(index, ...failed[index - read]!),
    readFigure: async (index, name) => (index < read ? members.readFigure(index, name) : undefined),
    scan: async (index, options) => (index < read ? members.scan(index, options) : undefined),
    close: () => members.close(),
  };
}

function isFile(name: string): boolean {
  const parts = name.split('/');
  const last = parts.at(-1)!;
  return last !== '' && !SYSTEM_FILES.has(last.toLowerCase()) && !parts.includes(RESOURCE_FORKS);
}

function createMember(archive: Archive, name: string): Member {
  const bytes = () => {
    const found = archive.read(name);
    if (!found) throw new Error(`${name} is not in the archive`);
    return found;
  };
  return { path: toDisplayPath(name), size: archive.getSize(name) ?? 0, bytes };
}

/**
 * Converts the path of a file in an archive for display. Removes control characters and segments such as
 * `..`.
 */
function toDisplayPath(name: string): string {
  const parts = name.replace(CONTROLS, ' ').split('/');
  const path = parts.filter((part) => !['', '.', '..'].includes(part.trim())).join('/');
  return path.slice(0, MAX_PATH_LENGTH) || 'file';
}

function createUnreadPage(index: number, { path }: Member, { message }: ParseError): Page {
  const text = `(not read: ${message})`;
  const nothing = { words: [], links: [], figures: [] };
  return {
    index,
    label: path,
    width: 612,
    height: 792,
    text,
    markdown: text,
    blocks: [{ type: 'paragraph', text, markdown: text }],
    ...nothing,
    member: { path, pageIndex: 0 },
    error: message,
  };
}

const removeReason = (message: string) => message.slice(message.indexOf(': ') + 2);
