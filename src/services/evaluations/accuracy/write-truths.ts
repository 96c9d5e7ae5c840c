import { sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type Truth, truthSets, truths } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type CurrentSet, changeVersionedSet, type Statement, splitRows } from '../versioned-set.ts';
import { MAX_SET_CHARACTERS, MAX_TRUTHS } from './input.ts';

/** A truth as a caller determines it. */
export interface TruthRow extends Pick<Truth, 'fileId' | 'origin'> {
  /** Expected values or expected type. */
  value: unknown;
  jobId?: string | undefined;
  /** Content hash of the file from which a job took the result. Default: the present content. */
  fileHash?: string | undefined;
}

interface SavedTruths {
  added: number;
  /** Number of truths that replaced others of the same file. */
  replaced: number;
}

/** Changes truths of a set and raises the version of the set, as `changeVersionedSet` describes. */
export const changeTruths = (
  ctx: Context,
  truthSetId: string,
  build: (current: CurrentSet) => Promise<Statement[]>,
): Promise<void> => changeVersionedSet(ctx, { table: truthSets, name: 'Truth set' }, truthSetId, build);

/**
 * Saves truths of a set, either all or none. A truth replaces that of the same file. Of several truths of a file, the
 * last one is saved. All files must belong to the project of the set.
 */
export async function saveTruths(
  ctx: Context,
  set: { id: string; projectId: string },
  given: readonly TruthRow[],
): Promise<SavedTruths> {
  const rows = [...new Map(given.map((row) => [row.fileId, row])).values()].map(toStoredRow);
  let saved: SavedTruths = { added: 0, replaced: 0 };
  await changeTruths(ctx, set.id, async ({ isCurrent }) => {
    const known = await measureSet(
      ctx,
      set.id,
      rows.map(({ fileId }) => fileId),
    );
    requireRoom(rows, known);
    saved = { added: rows.length - known.replaced, replaced: known.replaced };
    const now = Date.now();
    // A file that was deleted in the meantime is left out, because its truth would be deleted too.
    return splitRows(rows).map((part) =>
      ctx.db
        .insert(truths)
        .select(sql`select value ->> 'id', files.project_id, ${set.id}, files.id, value ->> 'expected',
          value ->> 'origin', value ->> 'jobId', coalesce(value ->> 'fileHash', files.content_hash, ''),
          value ->> 'characterCount', ${now}, ${now}
          from json_each(${part}) join files on files.id = value ->> 'fileId' and files.project_id = ${set.projectId}
          where ${isCurrent}`)
        .onConflictDoUpdate({
          target: [truths.truthSetId, truths.fileId],
          set: {
            expected: sql`excluded.expected`,
            origin: sql`excluded.origin`,
            jobId: sql`excluded.job_id`,
            fileHash: sql`excluded.file_hash`,
            characterCount: sql`excluded.character_count`,
            updatedAt: new Date(now),
          },
        }),
    );
  });
  return saved;
}

function toStoredRow({ value, ...row }: TruthRow) {
  const expected = JSON.stringify({ value });
  return { ...row, id: newId(), expected, characterCount: expected.length };
}

interface MeasuredSet {
  count: number;
  characters: number;
  /** Number and characters of the truths of the given files. */
  replaced: number;
  replacedCharacters: number;
}

async function measureSet(ctx: Context, truthSetId: string, fileIds: string[]): Promise<MeasuredSet> {
  const isGiven = sql`file_id in (select value from json_each(${JSON.stringify(fileIds)}))`;
  const row = await ctx.db.get<MeasuredSet>(sql`select count(*) as count,
    coalesce(sum(character_count), 0) as characters, count(*) filter (where ${isGiven}) as replaced,
    coalesce(sum(character_count) filter (where ${isGiven}), 0) as replacedCharacters
    from truths where truth_set_id = ${truthSetId}`);
  if (!row) throw new NotFound('Truth set', truthSetId);
  return row;
}

function requireRoom(rows: readonly { characterCount: number }[], before: MeasuredSet): void {
  const added = rows.reduce((sum, { characterCount }) => sum + characterCount, 0);
  if (before.count - before.replaced + rows.length > MAX_TRUTHS) {
    throw new Conflict(
      `A truth set can have at most ${MAX_TRUTHS} truths. This one has ${before.count}, and the request adds ${rows.length - before.replaced}.`,
    );
  }
  if (before.characters - before.replacedCharacters + added > MAX_SET_CHARACTERS) {
    throw new Conflict(`The truths of a set can have at most ${MAX_SET_CHARACTERS} characters together.`);
  }
}
