import type { Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { withOmissions } from '../shared/containers/unread-parts.ts';
import { type Archive, openZip } from '../shared/containers/zip.ts';
import type { ParseInput } from '../shared/driver.ts';
import { noData } from '../shared/flow/finish.ts';
import type { Inside } from '../shared/members/inside.ts';
import { type Member, Members } from '../shared/members/members.ts';
import type { OpenDocument } from '../shared/open-document.ts';

const LONGEST_PATH = 1024;
/** What packers and file managers put beside the files that people packed. */
const LEFT_BY_PROGRAMS = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);
const RESOURCE_FORKS = '__MACOSX';
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name is shown, and has nothing to control
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

/**
 * A zip of files: the pages of each in the order of the archive's directory, then one page for each that cannot be
 * read, with the reason.
 */
export async function openArchive(input: ParseInput, inside: Inside): Promise<OpenDocument> {
  const { bytes, plan, budget } = input;
  // A member that is opened again to read its pages was paid for when it was opened first.
  const archive = openZip(bytes, { budget, password: plan.pages.password, paysOnce: true });
  const all = archive.names.filter(isFile).map((name) => memberOf(archive, name));
  if (all.length === 0) throw noData();
  const members = await Members.open(all, { plan, inside, prefix: 'member' });
  const failed = [...members.failures];
  const isLocked = archive.names.some(archive.isLocked);
  if (members.opened.length === 0 && failed[0]) {
    const [{ path }, { reason, message }] = failed[0];
    throw new ParseError(reason, `No file in the archive can be read. ${path}: ${afterReason(message)}`);
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
      index < read ? members.readPage(index, turn, options) : unreadPage(index, ...failed[index - read]!),
    readFigure: async (index, name) => (index < read ? members.readFigure(index, name) : undefined),
    scan: async (index, options) => (index < read ? members.scan(index, options) : undefined),
    close: () => members.close(),
  };
}

function isFile(name: string): boolean {
  const parts = name.split('/');
  const last = parts.at(-1)!;
  return last !== '' && !LEFT_BY_PROGRAMS.has(last.toLowerCase()) && !parts.includes(RESOURCE_FORKS);
}

function memberOf(archive: Archive, name: string): Member {
  const bytes = () => {
    const found = archive.read(name);
    if (!found) throw new Error(`${name} is not in the archive`);
    return found;
  };
  return { path: shownPath(name), size: archive.sizeOf(name) ?? 0, bytes };
}

/** The path that people see; it leads nowhere. */
function shownPath(name: string): string {
  const parts = name.replace(CONTROLS, ' ').split('/');
  const path = parts.filter((part) => !['', '.', '..'].includes(part.trim())).join('/');
  return path.slice(0, LONGEST_PATH) || 'file';
}

/** A member that cannot be read stays visible, with the reason. */
function unreadPage(index: number, { path }: Member, { message }: ParseError): Page {
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

const afterReason = (message: string) => message.slice(message.indexOf(': ') + 2);
