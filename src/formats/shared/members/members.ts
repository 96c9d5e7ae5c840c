import type { Omission, Page } from '#src/documents/document.ts';
import { ParseError, StrictModeError } from '#src/documents/errors.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { failedMember } from '#src/formats/shared/containers/unread-parts.ts';
import type { ParseInput } from '#src/formats/shared/driver.ts';
import type { DrawingOptions, OpenDocument, PageOptions } from '#src/formats/shared/open-document.ts';
import { TimeLimit } from '#src/formats/shared/time-limit.ts';
import { messageOf } from '#src/lib/errors.ts';
import type { Inside, OpenPart } from './inside.ts';

/** Bytes of the members that stay open at the same time; one that is larger is open alone. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Documents that are opened when they are needed, and closed when others need the room. */
export class KeptOpen<Key, Document extends OpenDocument> {
  readonly #reopen: (key: Key) => Promise<Document>;
  readonly #sizeOf: (key: Key) => number;
  /** The one that was used last comes last. */
  readonly #open = new Map<Key, Document>();
  #bytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(reopen: (key: Key) => Promise<Document>, sizeOf: (key: Key) => number) {
    this.#reopen = reopen;
    this.#sizeOf = sizeOf;
  }

  /** One after the other: none is closed while it is used. */
  use<Value>(key: Key, work: (document: Document) => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(async () => work(await this.#get(key)));
    this.#last = turn.catch(() => {});
    return turn;
  }

  close(): void {
    for (const document of this.#open.values()) document.close();
    this.#open.clear();
    this.#bytes = 0;
  }

  async #get(key: Key): Promise<Document> {
    const known = this.#open.get(key);
    this.#open.delete(key);
    const size = this.#sizeOf(key);
    if (!known) this.#makeRoom(size);
    const document = known ?? (await this.#reopen(key));
    if (!known) this.#bytes += size;
    this.#open.set(key, document);
    return document;
  }

  #makeRoom(size: number): void {
    for (const [key, document] of this.#open) {
      if (this.#bytes + size <= MOST_BYTES) return;
      document.close();
      this.#open.delete(key);
      this.#bytes -= this.#sizeOf(key);
    }
  }
}

/** A file inside another one. */
export interface Member {
  /** Its name, with the folders that it lies in. */
  path: string;
  /** When it is unpacked. */
  size: number;
  /** Unpacks it. Throws ParseError. */
  bytes(): Uint8Array;
  /** Reads it where it is a part of the file and has no bytes of its own. */
  asPart?: OpenPart;
}

interface OpenedMember {
  member: Member;
  kind: FileKind;
  pageCount: number;
  unlocked: boolean;
  /** Parts of the member that are missing from what is read of it. */
  omissions: readonly Omission[];
  /** The index of its first page among those of all members. */
  firstPage: number;
}

/** To know how many pages there are, each member is opened once whenever the file is. */
const MOST_OPENING_MS = 60_000;

/** The files inside a file, whose pages follow one another. */
export class Members {
  readonly opened: readonly OpenedMember[];
  readonly failures: ReadonlyMap<Member, ParseError>;
  readonly #kept: KeptOpen<Member, OpenDocument>;
  /** Begins the names of their pictures, to keep those apart. */
  readonly #prefix: string;

  private constructor(
    opened: OpenedMember[],
    failures: Map<Member, ParseError>,
    kept: KeptOpen<Member, OpenDocument>,
    prefix: string,
  ) {
    this.opened = opened;
    this.failures = failures;
    this.#kept = kept;
    this.#prefix = prefix;
  }

  /** A member that cannot be opened is told in `failures`, and the others are read. */
  static async open(
    members: readonly Member[],
    { plan, inside, prefix }: Pick<ParseInput, 'plan'> & { inside: Inside; prefix: string },
  ): Promise<Members> {
    const opened: OpenedMember[] = [];
    const failures = new Map<Member, ParseError>();
    const numbers = new Map(members.map((member, number) => [member, number]));
    const openOne = (member: Member) => {
      const input = { bytes: member.bytes(), name: nameOf(member.path), plan };
      return inside.open(numbers.get(member)!, input, member.asPart);
    };
    const kept = new KeptOpen<Member, Awaited<ReturnType<typeof openOne>>>(openOne, ({ size }) => size);
    const time = new TimeLimit('Opening the files inside this one', MOST_OPENING_MS);
    let firstPage = 0;
    try {
      for (const [number, member] of members.entries()) {
        try {
          inside.take(number, member.size);
          const found = await kept.use(member, async ({ kind, pageCount, metadata, unlocked = false }) => ({
            kind,
            pageCount,
            unlocked,
            omissions: metadata.omissions ?? [],
          }));
          opened.push({ member, ...found, firstPage });
          firstPage += found.pageCount;
        } catch (error) {
          if (error instanceof StrictModeError) throw error;
          failures.set(member, asParseError(error));
        }
        await time.turn();
      }
    } catch (error) {
      kept.close();
      throw error;
    }
    return new Members(opened, failures, kept, prefix);
  }

  get pageCount(): number {
    const last = this.opened.at(-1);
    return last ? last.firstPage + last.pageCount : 0;
  }

  /** What is missing of all members: those that cannot be opened, and parts of the others. */
  get omissions(): Omission[] {
    return [
      ...[...this.failures].map(([{ path }, { message }]) => failedMember(path, message)),
      ...this.opened.flatMap(({ member, omissions }) =>
        omissions.map(({ kind, message }) => ({ kind, message: `${member.path}: ${message}` })),
      ),
    ];
  }

  get unlocked(): boolean {
    return this.opened.some(({ unlocked }) => unlocked);
  }

  /** `index`: among the pages of all members, which is the answer's own. */
  async readPage(index: number, turn?: () => Promise<void>, options?: PageOptions): Promise<Page> {
    const { member, pageCount, inner, prefix } = this.#locate(index);
    const page = await this.#kept.use(member, (document) => document.readPage(inner, turn, options));
    return placed(ofMember(page, { path: member.path, isPaged: pageCount > 1, prefix }), index);
  }

  async readFigure(index: number, name: string) {
    const { member, inner, prefix } = this.#locate(index);
    if (!name.startsWith(prefix)) return undefined;
    return this.#kept.use(member, (document) => document.readFigure(inner, name.slice(prefix.length)));
  }

  /** The page as it looks; undefined in formats without a look of their own. */
  async scan(index: number, options?: DrawingOptions) {
    const { member, inner } = this.#locate(index);
    return this.#kept.use(member, async (document) =>
      document.renderPage ? document.renderPage(inner, options) : document.scan?.(inner, options),
    );
  }

  close(): void {
    this.#kept.close();
  }

  #locate(index: number) {
    let [low, high] = [0, this.opened.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.opened[middle]!.firstPage <= index) low = middle + 1;
      else high = middle;
    }
    const position = low - 1;
    const found = this.opened[position];
    if (!found) throw new RangeError(`page ${index} of ${this.pageCount}`);
    return { ...found, inner: index - found.firstPage, prefix: `${this.#prefix}-${position + 1}-` };
  }
}

function asParseError(error: unknown): ParseError {
  return error instanceof ParseError ? error : new ParseError('FILE_IS_BROKEN', messageOf(error), error);
}

/** The page where it stands in the whole file. */
export const placed = (page: Page, index: number): Page => ({
  ...page,
  index,
  figures: page.figures.map((figure) => ({ ...figure, pageIndex: index })),
});

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Says of a page which member it is of. One that is inside the member is named with it. */
function ofMember(
  page: Page,
  { path, isPaged, prefix }: { path: string; isPaged: boolean; prefix: string },
): Page {
  const member = page.member
    ? { path: `${path}/${page.member.path}`, pageIndex: page.member.pageIndex }
    : { path, pageIndex: page.index };
  const own = isPaged ? `${path}, ${page.label}` : path;
  const label = page.member ? `${path}/${page.label}` : own;
  const names = new Set(page.figures.map(({ name }) => name));
  const renamed = (text: string) =>
    names.size === 0
      ? text
      : text.replaceAll(/\]\(([^()\s]+)\)/g, (link, name: string) =>
          names.has(name) ? `](${prefix}${name})` : link,
        );
  const blocks = page.blocks.map((block) => ({ ...block, markdown: renamed(block.markdown) }));
  const figures = page.figures.map((figure) => ({ ...figure, name: prefix + figure.name }));
  return { ...page, label, markdown: renamed(page.markdown), blocks, figures, member };
}
