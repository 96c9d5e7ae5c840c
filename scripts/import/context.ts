import { z } from 'zod';
import type { Api } from './api.ts';
import { getMessage, RequestFailure } from './failures.ts';
import type { Report } from './report.ts';
import { getWaitMs, sleep } from './retries.ts';
import type { Secrets } from './secrets.ts';
import type { State } from './state.ts';

/** Servers, options and records that every step of an import uses. */
export interface ImportContext {
  from: Api;
  to: Api;
  fromProject: string;
  toProject: string;
  state: State;
  report: Report;
  secrets: Secrets;
  /** Number of files that are copied concurrently. */
  concurrency: number;
  /** True if copied files are read back from the target to compare them. */
  verify: boolean;
  sync: boolean;
}

/** Fields of the import context that are needed to read from the source. */
export type SourceContext = Pick<ImportContext, 'from' | 'fromProject' | 'report'>;

/** Kinds of copied objects, as named in the state and the summary. */
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

export const createdItem = z.looseObject({
  id: z.string().min(1),
  warnings: z
    .array(z.object({ field: z.string(), reason: z.string() }))
    .nullish()
    .catch(undefined),
});

export type CreatedItem = z.output<typeof createdItem>;

/** Parses the entries of a list. Invalid entries are reported and skipped. */
export function parseItems<Schema extends z.ZodType>(
  context: SourceContext,
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
    context.report.fail(
      kind,
      String(name || id || '?'),
      `invalid answer of the source: ${issue!.path.join('.')}: ${issue!.message}`,
    );
    return [];
  });
}

/**
 * Returns the id of the copy of `item` at the target. Uses the recorded copy, otherwise a matching object
 * that is not yet a copy, and otherwise creates one. If a response was lost, the target is checked again, so
 * nothing is created twice. Returns `undefined` after a failure, which is reported.
 */
export async function findOrCreate(
  context: ImportContext,
  kind: Kind,
  item: { id: string; name: string },
  steps: { found: () => Promise<{ id: string }[]>; make: () => Promise<CreatedItem> },
): Promise<string | undefined> {
  const known = context.state.get(kind, item.id);
  if (known !== undefined) {
    context.report.count(`${kind}s`, false);
    return known;
  }
  try {
    const id = await findOrRequest(context, kind, item.name, steps);
    context.state.put({ kind, from: item.id, to: id });
    context.report.count(`${kind}s`, true);
    return id;
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    context.report.fail(kind, item.name, getMessage(cause));
    return undefined;
  }
}

async function findOrRequest(
  context: ImportContext,
  kind: Kind,
  name: string,
  { found, make }: { found: () => Promise<{ id: string }[]>; make: () => Promise<CreatedItem> },
): Promise<string> {
  for (let next = 2; ; next += 1) {
    const existing = (await found()).find(({ id }) => !context.state.isCopy(kind, id));
    if (existing) {
      // After a killed run, an existing object is probably a copy that was not recorded. It cannot be
      // distinguished from an object of someone else.
      if (next === 2) context.report.note(kind, name, 'already existed at the target and is used unchanged');
      return existing.id;
    }
    try {
      const { id, warnings } = await make();
      for (const { field, reason } of warnings ?? []) context.report.note(kind, name, `${field}: ${reason}`);
      return id;
    } catch (cause) {
      if (!(cause instanceof RequestFailure) || !cause.isAmbiguous) throw cause;
      const wait = getWaitMs(next, cause, context.to.retryPolicy);
      if (wait === undefined) throw cause;
      await sleep(wait);
    }
  }
}
