import { eq, getTableColumns, max, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type DocumentRevision, type Question, questionSets, questions } from '#src/db/schema/index.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { findDocuments, listDocumentIds, mapDocumentIds } from '../documents.ts';
import { MAX_QUESTIONS, MAX_SET_CHARACTERS, type NewQuestion, toExpectations } from '../input.ts';
import { type CurrentSet, changeVersionedSet, type Statement, splitRows } from '../versioned-set.ts';

/** Columns of a question that a caller determines. */
export type QuestionRow = Pick<
  Question,
  | 'text'
  | 'tags'
  | 'expectations'
  | 'expectedAnswer'
  | 'expectsRefusal'
  | 'origin'
  | 'documents'
  | 'characterCount'
  | 'externalId'
>;

/**
 * Builds the rows of questions, with the present content of their documents. `locate` returns the place of a
 * question in the request, for errors. `known` are documents that a question may refer to after their deletion.
 * Throws Invalid if a document does not exist in the project.
 */
export async function toRows(
  ctx: Context,
  projectId: string,
  added: readonly NewQuestion[],
  locate: (index: number) => (string | number)[],
  known: readonly DocumentRevision[] = [],
): Promise<QuestionRow[]> {
  const expectations = added.map(toExpectations);
  const ids = [...new Set(expectations.flatMap(listDocumentIds))];
  const found = await findDocuments(ctx, projectId, ids);
  for (const each of known) if (!found.has(each.document_id)) found.set(each.document_id, each);
  return added.map((question, index) => {
    const own = listDocumentIds(expectations[index]!);
    const missing = own.find((id) => !found.has(id));
    if (missing !== undefined) {
      throw Invalid.field(
        locate(index),
        `The project has no file or text document with the id '${missing}'`,
        'unknown_document',
      );
    }
    const row = {
      text: question.text,
      tags: [...new Set(question.tags ?? [])],
      expectations: mapDocumentIds(expectations[index]!, (id) => found.get(id)!.document_id),
      expectedAnswer: question.expected_answer ?? null,
      expectsRefusal: question.expects_refusal ?? false,
      origin: question.origin ?? 'manual',
      documents: own.map((id) => found.get(id)!),
      externalId: question.external_id ?? null,
    };
    return { ...row, characterCount: JSON.stringify(row).length };
  });
}

/** Changes questions of a set and raises the version of the set, as `changeVersionedSet` describes. */
export const changeQuestions = (
  ctx: Context,
  questionSetId: string,
  build: (current: CurrentSet) => Promise<Statement[]>,
): Promise<void> =>
  changeVersionedSet(ctx, { table: questionSets, name: 'Question set' }, questionSetId, build);

interface Saved {
  ids: string[];
  added: number;
  replaced: number;
}

/**
 * Inserts questions at the end of a set. A question whose external id the set already has replaces the old
 * question and keeps its id. Of several questions with the same external id, the last one is saved. Either all questions are saved or none.
 */
export async function saveQuestions(
  ctx: TenantContext,
  questionSetId: string,
  given: readonly QuestionRow[],
): Promise<Saved> {
  const rows = removeRepeated(given);
  let saved: Saved = { ids: [], added: 0, replaced: 0 };
  await changeQuestions(ctx, questionSetId, async ({ isCurrent }) => {
    const externalIds = rows.flatMap(({ externalId }) => externalId ?? []);
    const { last, known } = await readSet(ctx, questionSetId, externalIds);
    requireRoom(rows, known, await measureSet(ctx, questionSetId));
    let position = last;
    const values = rows.map((row) => {
      const replaced = row.externalId === null ? undefined : known.get(row.externalId);
      position += 1;
      return { ...row, id: replaced?.id ?? newId(), position };
    });
    saved = {
      ids: values.map(({ id }) => id),
      added: rows.length - known.size,
      replaced: known.size,
    };
    return splitRows(values.map(toStoredValues)).map((some) =>
      buildInsert(ctx, questionSetId, some, isCurrent),
    );
  });
  return saved;
}

interface KnownQuestion {
  id: string;
  characters: number;
}

async function readSet(ctx: Context, questionSetId: string, externalIds: readonly string[]) {
  const [[last], known] = await Promise.all([
    ctx.db
      .select({ position: max(questions.position) })
      .from(questions)
      .where(eq(questions.questionSetId, questionSetId)),
    ctx.db
      .select({ id: questions.id, externalId: questions.externalId, characters: questions.characterCount })
      .from(questions)
      .where(
        sql`${questions.questionSetId} = ${questionSetId} and ${questions.externalId} is not null
          and ${questions.externalId} in (select value from json_each(${JSON.stringify(externalIds)}))`,
      ),
  ]);
  return {
    last: last?.position ?? 0,
    known: new Map(known.map(({ externalId, ...each }): [string, KnownQuestion] => [externalId!, each])),
  };
}

async function measureSet(ctx: Context, questionSetId: string) {
  const [row] = await ctx.db
    .select({
      count: sql<number>`count(*)`,
      characters: sql<number>`coalesce(sum(${questions.characterCount}), 0)`,
    })
    .from(questions)
    .where(eq(questions.questionSetId, questionSetId));
  return row!;
}

function requireRoom(
  rows: readonly QuestionRow[],
  known: ReadonlyMap<string, KnownQuestion>,
  before: { count: number; characters: number },
): void {
  const replaced = [...known.values()].reduce((sum, { characters }) => sum + characters, 0);
  const added = rows.reduce((sum, { characterCount }) => sum + characterCount, 0);
  if (before.count - known.size + rows.length > MAX_QUESTIONS) {
    throw new Conflict(
      `A question set can have at most ${MAX_QUESTIONS} questions. This one has ${before.count}, and the request adds ${rows.length - known.size}.`,
    );
  }
  if (before.characters - replaced + added > MAX_SET_CHARACTERS) {
    throw new Conflict(
      `The questions of a set can have at most ${MAX_SET_CHARACTERS} characters together, including their expectations.`,
    );
  }
}

type StoredValues = Record<string, string | number | null>;

const toStoredValues = (row: QuestionRow & { id: string; position: number }): StoredValues => ({
  ...row,
  tags: JSON.stringify(row.tags),
  expectations: JSON.stringify(row.expectations),
  documents: JSON.stringify(row.documents),
  expectsRefusal: Number(row.expectsRefusal),
});

/** Builds the statement that inserts rows from a JSON array. Rows that exist are replaced but keep their place. */
function buildInsert(ctx: Context, questionSetId: string, rows: string, isCurrent: SQL): Statement {
  const now = Date.now();
  const fixed: Record<string, SQL> = {
    projectId: sql`(select project_id from question_sets where id = ${questionSetId})`,
    questionSetId: sql`${questionSetId}`,
    createdAt: sql`${now}`,
    updatedAt: sql`${now}`,
  };
  const selected = Object.keys(getTableColumns(questions)).map(
    (name) => fixed[name] ?? sql`value ->> ${`$.${name}`}`,
  );
  const replacedNames = [
    'text',
    'tags',
    'expectations',
    'expectedAnswer',
    'expectsRefusal',
    'origin',
    'documents',
    'characterCount',
    'updatedAt',
  ] as const;
  const set = Object.fromEntries(replacedNames.map((name) => [name, sql.raw(`excluded.${toSqlName(name)}`)]));
  return ctx.db
    .insert(questions)
    .select(sql`select ${sql.join(selected, sql`, `)} from json_each(${rows}) where ${isCurrent}`)
    .onConflictDoUpdate({ target: questions.id, set });
}

const toSqlName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Keeps the last of several questions with the same external id. */
function removeRepeated(rows: readonly QuestionRow[]): QuestionRow[] {
  const last = new Map(rows.map((row, index) => [row.externalId, index]));
  return rows.filter((row, index) => row.externalId === null || last.get(row.externalId) === index);
}
