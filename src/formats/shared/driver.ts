import type { ParsePlan } from '#src/parse/plan.ts';
import type { OpenDocument } from './open-document.ts';
import type { WorkBudget } from './work-budget.ts';

export interface ParseInput {
  bytes: Uint8Array;
  /** The file's name, for titles and as a last hint; content decides. */
  name: string;
  plan: ParsePlan;
  /** Shared by the file and all files inside it. */
  budget: WorkBudget;
}

/** A file that nothing has been spent on yet. */
export type UnopenedFile = Omit<ParseInput, 'budget'>;

/** One driver per kind. `open` rejects with ParseError for files that can never be read. */
export interface Parser {
  open(input: ParseInput): Promise<OpenDocument>;
}
