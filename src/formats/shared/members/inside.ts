import { ParseError } from '#src/documents/errors.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import type { ParseInput, UnopenedFile } from '#src/formats/shared/driver.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';

const MOST_MEMBERS = 1_000;
const MOST_BYTES = 256 * 1024 * 1024;
/** A member is held beside the file that it came from. */
const MOST_MEMBER_BYTES = 32 * 1024 * 1024;
/** Archives in mails in archives are read this deep. */
const DEEPEST = 3;

type Opened = OpenDocument & { kind: FileKind };

/** Reads what is no file of its own but a part of another one: the message that a message has attached. */
export type OpenPart = (inside: Inside) => Promise<Opened>;

/** Opens a file that is so deep inside another one; what is inside it gets `inside`. */
export type OpenFile = (input: ParseInput, inside: Inside) => Promise<Opened>;

/** Members of a file at all levels that were opened, and their bytes. A member that is opened again counts once. */
interface Taken {
  members: Set<string>;
  opened: Set<string>;
  bytes: number;
}

/** A file that has others inside it: how deep it is itself, and what may still be opened. */
export class Inside {
  readonly #openFile: OpenFile;
  readonly #taken: Taken;
  /** For each level the number of the member. */
  readonly #place: readonly number[];

  /** Shared by the file and all files inside it. */
  readonly budget: WorkBudget;

  private constructor(openFile: OpenFile, budget: WorkBudget, taken: Taken, place: readonly number[]) {
    this.#openFile = openFile;
    this.budget = budget;
    this.#taken = taken;
    this.#place = place;
  }

  static top(openFile: OpenFile, budget: WorkBudget): Inside {
    return new Inside(openFile, budget, { members: new Set(), opened: new Set(), bytes: 0 }, []);
  }

  /** Throws ParseError where a member is too deep, too large, or one too many. `number`: unique within the file. */
  take(number: number, bytes: number): void {
    const key = [...this.#place, number].join('/');
    if (this.#taken.members.has(key)) return;
    if (this.#place.length >= DEEPEST) throw tooMuch(`It is more than ${DEEPEST} files deep.`);
    if (bytes > MOST_MEMBER_BYTES)
      throw tooMuch(
        `It has more than the ${mib(MOST_MEMBER_BYTES)} that a file inside another one may have.`,
      );
    if (this.#taken.members.size === MOST_MEMBERS)
      throw tooMuch(`More than ${MOST_MEMBERS} files are inside this one.`);
    if (this.#taken.bytes + bytes > MOST_BYTES)
      throw tooMuch(`The files inside this one have more than ${mib(MOST_BYTES)} together.`);
    this.#taken.members.add(key);
    this.#taken.bytes += bytes;
  }

  /**
   * Opens a member by its content, or as the part that it is. Rejects with ParseError. A member that is opened a second
   * time, to read its pages, gets a budget of its own: the first opening has shown that its work is bounded.
   */
  open(number: number, file: UnopenedFile, asPart?: OpenPart): Promise<Opened> {
    const place = [...this.#place, number];
    const key = place.join('/');
    const budget = this.#taken.opened.has(key) ? new WorkBudget() : this.budget;
    this.#taken.opened.add(key);
    const deeper = new Inside(this.#openFile, budget, this.#taken, place);
    return asPart ? asPart(deeper) : this.#openFile({ ...file, budget }, deeper);
  }
}

const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const tooMuch = (message: string) => new ParseError('DOCUMENT_TOO_LARGE', message);
