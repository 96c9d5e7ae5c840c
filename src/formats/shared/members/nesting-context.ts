import { ParseError } from '#src/documents/errors.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { ParseInput, UnopenedFile } from '#src/formats/shared/parser.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';

const MAX_MEMBERS = 1_000;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/**
 * Maximum uncompressed size of a nested file in bytes. The nested file is held in memory together with the
 * outer file.
 */
const MAX_MEMBER_BYTES = 32 * 1024 * 1024;
/** Maximum depth of files inside files, for example of an archive inside an e-mail inside an archive. */
const MAX_DEPTH = 3;

type OpenedFile = OpenDocument & { kind: FileKind };

/**
 * Function that opens a nested file without separate bytes, such as a message attached to an Outlook message.
 */
export type OpenPart = (context: NestingContext) => Promise<OpenedFile>;

/**
 * Function that opens a file at the nesting depth of `context`. Files inside that file are opened with the
 * same context.
 */
export type OpenFile = (input: ParseInput, context: NestingContext) => Promise<OpenedFile>;

/**
 * Nested files that were opened at all depths, and their total size. A file that is opened again counts once.
 */
interface NestingUsage {
  members: Set<string>;
  opened: Set<string>;
  bytes: number;
}

/** Nesting depth of a file that contains other files, and the limits for opening them. */
export class NestingContext {
  readonly #openFile: OpenFile;
  readonly #usage: NestingUsage;
  /** Numbers that identify this nested file: its position in the outer file at each nesting level. */
  readonly #memberNumbers: readonly number[];

  /** Work budget that the file shares with all files nested inside it. */
  readonly budget: WorkBudget;

  private constructor(openFile: OpenFile, budget: WorkBudget, taken: NestingUsage, place: readonly number[]) {
    this.#openFile = openFile;
    this.budget = budget;
    this.#usage = taken;
    this.#memberNumbers = place;
  }

  static forOuterFile(openFile: OpenFile, budget: WorkBudget): NestingContext {
    return new NestingContext(openFile, budget, { members: new Set(), opened: new Set(), bytes: 0 }, []);
  }

  /**
   * Counts a nested file against the limits of depth, size and number. `number` is unique within the outer
   * file. Throws ParseError if a limit is exceeded.
   */
  reserve(number: number, bytes: number): void {
    const key = [...this.#memberNumbers, number].join('/');
    if (this.#usage.members.has(key)) return;
    if (this.#memberNumbers.length >= MAX_DEPTH)
      throw createTooLargeError(`It is nested more than ${MAX_DEPTH} files deep.`);
    if (bytes > MAX_MEMBER_BYTES)
      throw createTooLargeError(
        `It is larger than ${formatMib(MAX_MEMBER_BYTES)}, which is the limit for a file inside another file.`,
      );
    if (this.#usage.members.size === MAX_MEMBERS)
      throw createTooLargeError(`The outer file contains more than ${MAX_MEMBERS} files.`);
    if (this.#usage.bytes + bytes > MAX_TOTAL_BYTES)
      throw createTooLargeError(
        `The files inside the outer file are larger than ${formatMib(MAX_TOTAL_BYTES)} in total.`,
      );
    this.#usage.members.add(key);
    this.#usage.bytes += bytes;
  }

  /**
   * Opens a nested file from its bytes, or with `asPart` if it has no separate bytes. Rejects with
   * ParseError. A file that is opened again to read its pages gets a new work budget. The first opening has
   * already shown that its work is limited.
   */
  open(number: number, file: UnopenedFile, asPart?: OpenPart): Promise<OpenedFile> {
    const place = [...this.#memberNumbers, number];
    const key = place.join('/');
    const budget = this.#usage.opened.has(key) ? new WorkBudget() : this.budget;
    this.#usage.opened.add(key);
    const deeper = new NestingContext(this.#openFile, budget, this.#usage, place);
    return asPart ? asPart(deeper) : this.#openFile({ ...file, budget }, deeper);
  }
}

const formatMib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const createTooLargeError = (message: string) => new ParseError('DOCUMENT_TOO_LARGE', message);
