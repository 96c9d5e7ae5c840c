import type { Context } from '#src/context/context.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import type { RunKind } from './run-tables.ts';

/** Columns of a run that every runner needs. */
export interface RunRow {
  id: string;
  projectId: string;
}

/** Columns of a result that every runner needs. */
export interface ResultRow {
  attempts: number;
}

/** Thrown if what a run evaluates was deleted, so that the run cannot be continued. */
export class TargetMissing extends Error {}

/** Evaluation of the questions or files of one kind of run. */
export interface Runner<Run extends RunRow = RunRow, Result extends ResultRow = ResultRow> {
  kind: RunKind;
  /** What the run evaluates one after the other, as error messages call it. */
  noun: 'question' | 'file';
  /** Maximum number of questions or files that one message evaluates. */
  itemsPerMessage: number;
  /** Time limit in milliseconds of one message. After this time, another consumer may take the run. */
  timeoutMs: number;
  getItemId(result: Result): string;
  /** Throws TargetMissing if the run cannot be continued. */
  requireTarget(ctx: Context, run: Run): Promise<void>;
  /**
   * Prepares what the run evaluates. Returns false if the preparation continues elsewhere, so that the run is looked at
   * again a little later.
   */
  prepare?(ctx: Context, run: Run, hold: HeldLease): Promise<boolean>;
  /** Evaluates one question or file. Returns the columns of its result. */
  evaluate(ctx: Context, run: Run, result: Result, hold: HeldLease): Promise<Partial<Result>>;
  /** Adds further questions after all were evaluated. Returns false if the run is complete. */
  continue?(ctx: Context, run: Run, consumer: string): Promise<boolean>;
  /**
   * Ends a run whose questions or files were all evaluated, or that cannot be continued because of `errorMessage`, and
   * stores its measures.
   */
  finish(ctx: Context, run: Run, consumer: string, errorMessage?: string): Promise<void>;
}
