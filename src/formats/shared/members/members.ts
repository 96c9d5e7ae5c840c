import type { Omission, Page } from '#src/documents/document.ts';
import { ParseError, StrictModeError } from '#src/documents/errors.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { buildFailedMemberOmission } from '#src/formats/shared/containers/unread-parts.ts';
import type { DrawingOptions, OpenDocument, PageOptions } from '#src/formats/shared/open-document.ts';
import type { ParseInput } from '#src/formats/shared/parser.ts';
import { TimeLimit } from '#src/formats/shared/time-limit.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { NestingContext, OpenPart } from './nesting-context.ts';

/**
 * Maximum total size in bytes of the nested files that stay open at the same time. A file above the limit is
 * kept open alone.
 */
const MAX_OPEN_BYTES = 16 * 1024 * 1024;

/** A cache of open documents. Documents are opened when they are needed and closed when the cache is full. */
export class OpenDocumentCache<Key, Document extends OpenDocument> {
  readonly #reopen: (key: Key) => Promise<Document>;
  readonly #getSize: (key: Key) => number;
  /** Open documents in order of use. The most recently used document is last. */
  readonly #open = new Map<Key, Document>();
  #bytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(reopen: (key: Key) => Promise<Document>, getSize: (key: Key) => number) {
    this.#reopen = reopen;
    this.#getSize = getSize;
  }

  /**
   * Runs `work` with a document. Calls run one after another, so that no document is closed while it is in
   * use.
   */
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
    const size = this.#getSize(key);
    if (!known) this.#evictFor(size);
    const document = known ?? (await this.#reopen(key));
    if (!known) this.#bytes += size;
    this.#open.set(key, document);
    return document;
  }

  #evictFor(size: number): void {
    for (const [key, document] of this.#open) {
      if (this.#bytes + size <= MAX_OPEN_BYTES) return;
      document.close();
      this.#open.delete(key);
      this.#bytes -= this.#getSize(key);
    }
  }
}

/** A file inside another file, such as an attachment or a file in an archive. */
export interface Member {
  /** Path of the nested file, including its folders. */
  path: string;
  /** Uncompressed size of the nested file in bytes. */
  size: number;
  /** Unpacks the nested file and returns its bytes. Throws ParseError if the file cannot be unpacked. */
  bytes(): Uint8Array;
  /** Opens a nested file that has no separate bytes, such as a message attached to an Outlook message. */
  asPart?: OpenPart;
}

interface OpenedMember {
  member: Member;
  kind: FileKind;
  pageCount: number;
  unlocked: boolean;
  /** Parts of the nested file that could not be read. */
  omissions: readonly Omission[];
  /** Index of the nested file's first page, counted over the pages of all nested files. */
  firstPage: number;
}

/**
 * Maximum time in milliseconds for opening all nested files. Each file has to be opened once to count its
 * pages.
 */
const MAX_OPENING_MS = 60_000;

/** The readable files inside an outer file, such as an archive. Their pages are numbered consecutively. */
export class Members {
  readonly opened: readonly OpenedMember[];
  readonly failures: ReadonlyMap<Member, ParseError>;
  readonly #cache: OpenDocumentCache<Member, OpenDocument>;
  /** Prefix that keeps the figure names of the nested files unique. */
  readonly #prefix: string;

  private constructor(
    opened: OpenedMember[],
    failures: Map<Member, ParseError>,
    cache: OpenDocumentCache<Member, OpenDocument>,
    prefix: string,
  ) {
    this.opened = opened;
    this.failures = failures;
    this.#cache = cache;
    this.#prefix = prefix;
  }

  /**
   * Opens all nested files to count their pages. Files that cannot be opened are recorded in `failures`, and
   * the other files stay readable.
   */
  static async open(
    members: readonly Member[],
    { plan, context, prefix }: Pick<ParseInput, 'plan'> & { context: NestingContext; prefix: string },
  ): Promise<Members> {
    const opened: OpenedMember[] = [];
    const failures = new Map<Member, ParseError>();
    const numbers = new Map(members.map((member, number) => [member, number]));
    const openOne = (member: Member) => {
      const input = { bytes: member.bytes(), name: getFileName(member.path), plan };
      return context.open(numbers.get(member)!, input, member.asPart);
    };
    const cache = new OpenDocumentCache<Member, Awaited<ReturnType<typeof openOne>>>(
      openOne,
      ({ size }) => size,
    );
    const time = new TimeLimit('Opening the files inside this file', MAX_OPENING_MS);
    let firstPage = 0;
    try {
      for (const [number, member] of members.entries()) {
        try {
          context.reserve(number, member.size);
          const found = await cache.use(member, async ({ kind, pageCount, metadata, unlocked = false }) => ({
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
        await time.yieldAndCheck();
      }
    } catch (error) {
      cache.close();
      throw error;
    }
    return new Members(opened, failures, cache, prefix);
  }

  get pageCount(): number {
    const last = this.opened.at(-1);
    return last ? last.firstPage + last.pageCount : 0;
  }

  /** Returns the nested files that cannot be opened, and the missing parts of the other nested files. */
  get omissions(): Omission[] {
    return [
      ...[...this.failures].map(([{ path }, { message }]) => buildFailedMemberOmission(path, message)),
      ...this.opened.flatMap(({ member, omissions }) =>
        omissions.map(({ kind, message }) => ({ kind, message: `${member.path}: ${message}` })),
      ),
    ];
  }

  get unlocked(): boolean {
    return this.opened.some(({ unlocked }) => unlocked);
  }

  /** Reads a page. `index` is counted over the pages of all nested files. */
  async readPage(index: number, turn?: () => Promise<void>, options?: PageOptions): Promise<Page> {
    const { member, pageCount, inner, prefix } = this.#locate(index);
    const page = await this.#cache.use(member, (document) => document.readPage(inner, turn, options));
    return withPageIndex(labelMemberPage(page, { path: member.path, isPaged: pageCount > 1, prefix }), index);
  }

  async readFigure(index: number, name: string) {
    const { member, inner, prefix } = this.#locate(index);
    if (!name.startsWith(prefix)) return undefined;
    return this.#cache.use(member, (document) => document.readFigure(inner, name.slice(prefix.length)));
  }

  /**
   * Draws a page as a picture. Resolves to `undefined` if the format of the nested file has no fixed page
   * layout.
   */
  async scan(index: number, options?: DrawingOptions) {
    const { member, inner } = this.#locate(index);
    return this.#cache.use(member, async (document) =>
      document.renderPage ? document.renderPage(inner, options) : document.scan?.(inner, options),
    );
  }

  close(): void {
    this.#cache.close();
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
  return error instanceof ParseError
    ? error
    : new ParseError('FILE_IS_BROKEN', getErrorMessage(error), error);
}

export const withPageIndex = (page: Page, index: number): Page => ({
  ...page,
  index,
  figures: page.figures.map((figure) => ({ ...figure, pageIndex: index })),
});

const getFileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/**
 * Adds the path of a nested file to its page and makes figure names unique. For a file inside a nested file,
 * the path includes the names of both files.
 */
function labelMemberPage(
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
