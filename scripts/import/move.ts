import { z } from 'zod';
import type { Api } from './api.ts';
import { messageOf, RequestFailure } from './failures.ts';
import { sleep, waitBefore } from './patience.ts';
import type { Report } from './report.ts';
import type { Secrets } from './secrets.ts';
import type { State } from './state.ts';

/** What every step of one import works with. */
export interface Move {
  from: Api;
  to: Api;
  fromProject: string;
  toProject: string;
  state: State;
  report: Report;
  secrets: Secrets;
  /** Files at a time. */
  concurrency: number;
  /** Whether bytes are read back from the target. */
  verify: boolean;
  sync: boolean;
}

/** Of it, what a look at the source needs. */
export type Reading = Pick<Move, 'from' | 'fromProject' | 'report'>;

/** Kinds as the state and the summary call them. */
export type Kind =
  | 'configuration'
  | 'data sink'
  | 'data source'
  | 'document'
  | 'embedding model configuration'
  | 'file'
  | 'pipeline'
  | 'pipeline data source'
  | 'pipeline file'
  | 'retriever'
  | 'sync';

export const made = z.looseObject({
  id: z.string().min(1),
  warnings: z
    .array(z.object({ field: z.string(), reason: z.string() }))
    .nullish()
    .catch(undefined),
});

export type Made = z.output<typeof made>;

/** Entries of a list that have the shape they should; each other one is reported, and stops nothing. */
export function sifted<Schema extends z.ZodType>(
  move: Reading,
  kind: Kind,
  schema: Schema,
  items: readonly unknown[],
): z.output<Schema>[] {
  return items.flatMap((item) => {
    const read = schema.safeParse(item);
    if (read.success) return [read.data];
    const { name, id } = z
      .object({ name: z.unknown(), id: z.unknown() })
      .catch({ name: '', id: '' })
      .parse(item);
    const [issue] = read.error.issues;
    move.report.fail(
      kind,
      String(name || id || '?'),
      `the source's answer: ${issue!.path.join('.')}: ${issue!.message}`,
    );
    return [];
  });
}

/**
 * The id of the copy of `item`: the one the state knows, else one that is `found` at the target and is nobody's copy
 * yet, else a new one. Looks again when an answer was lost, so that nothing is made twice. Undefined when it failed,
 * which is reported.
 */
export async function ensure(
  move: Move,
  kind: Kind,
  item: { id: string; name: string },
  steps: { found: () => Promise<{ id: string }[]>; make: () => Promise<Made> },
): Promise<string | undefined> {
  const known = move.state.get(kind, item.id);
  if (known !== undefined) {
    move.report.count(`${kind}s`, false);
    return known;
  }
  try {
    const id = await findOrMake(move, kind, item.name, steps);
    move.state.put({ kind, from: item.id, to: id });
    move.report.count(`${kind}s`, true);
    return id;
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    move.report.fail(kind, item.name, messageOf(cause));
    return undefined;
  }
}

async function findOrMake(
  move: Move,
  kind: Kind,
  name: string,
  { found, make }: { found: () => Promise<{ id: string }[]>; make: () => Promise<Made> },
): Promise<string> {
  for (let next = 2; ; next += 1) {
    const there = (await found()).find(({ id }) => !move.state.isTaken(kind, id));
    if (there) {
      // After a kill it is the copy that the state did not learn of; nothing tells that from somebody else's.
      if (next === 2) move.report.note(kind, name, 'was at the target already; used as it is there');
      return there.id;
    }
    try {
      const { id, warnings } = await make();
      for (const { field, reason } of warnings ?? []) move.report.note(kind, name, `${field}: ${reason}`);
      return id;
    } catch (cause) {
      if (!(cause instanceof RequestFailure) || !cause.unsure) throw cause;
      const wait = waitBefore(next, cause, move.to.patience);
      if (wait === undefined) throw cause;
      await sleep(wait);
    }
  }
}
