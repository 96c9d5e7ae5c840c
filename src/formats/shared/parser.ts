import type { ParsePlan } from '#src/parse/plan.ts';
import type { OpenDocument } from './open-document.ts';
import type { WorkBudget } from './work-budget.ts';

export interface ParseInput {
  bytes: Uint8Array;
  /**
   * Name of the file, used for titles. The format is detected from the content, and the name is only the last
   * hint.
   */
  name: string;
  plan: ParsePlan;
  /** Work budget that the file shares with all files nested inside it. */
  budget: WorkBudget;
}

/** A file to parse that has no work budget yet. */
export type UnopenedFile = Omit<ParseInput, 'budget'>;

/** Parser of one file format. `open` rejects with ParseError if the file cannot be read. */
export interface Parser {
  open(input: ParseInput): Promise<OpenDocument>;
}
