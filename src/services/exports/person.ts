import { and, eq, inArray } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import {
  apiKeys,
  chatMessages,
  chatSessions,
  connectedApplications,
  identities,
  indexChats,
  indexChatTurns,
  type Membership,
  members,
  pipelines,
  projects,
  retrievers,
  traces,
} from '#src/db/schema/index.ts';
import { Forbidden } from '#src/lib/errors.ts';
import { getJobTable, JOB_KINDS, TABLE_NAME } from '#src/services/jobs/kinds.ts';
import { getMember, requireAdmin } from '#src/services/tenancy/memberships.ts';
import { createArchive, type Entry, textEntry } from './archive.ts';
import { PERSON_README } from './readme.ts';
import { iterateRows, type Row, type Rows, rowEntries, toApiNames } from './rows.ts';

/**
 * Exports the data of one member of the request's organization as a streamed tar archive. Requires the member
 * or an admin of the organization, with a key that is not limited to a project.
 */
export async function exportPerson(ctx: TenantContext, userId: string): Promise<AsyncGenerator<Uint8Array>> {
  const { organizationId, actor } = ctx;
  if (actor.userId !== userId) await requireAdmin(ctx, organizationId);
  else if (actor.projectId) throw new Forbidden('A key that is scoped to a project cannot do this.');
  const membership = await getMember(ctx, organizationId, userId);
  ctx.log.info('person exported', { organizationId, userId, by: actor.userId });
  return createArchive(personEntries(ctx, membership));
}

async function* personEntries(ctx: TenantContext, membership: Membership): AsyncGenerator<Entry> {
  const { organizationId, userId } = membership;
  yield textEntry('README.txt', PERSON_README);
  yield textEntry('membership.json', `${JSON.stringify(toApiNames(members, { ...membership }), null, 2)}\n`);
  const own = and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.userId, userId));
  const ownKeys = { table: apiKeys, where: own, key: [apiKeys.createdAt, apiKeys.id] } as const;
  yield* rowEntries('api_keys', apiKeys, iterateRows(ctx, ownKeys));
  const accounts = {
    table: identities,
    where: and(eq(identities.organizationId, organizationId), eq(identities.userId, userId)),
    key: [identities.issuer, identities.subject],
  } as const;
  yield* rowEntries('identities', identities, iterateRows(ctx, accounts));
  const applications = {
    table: connectedApplications,
    where: and(
      eq(connectedApplications.organizationId, organizationId),
      eq(connectedApplications.userId, userId),
    ),
    key: [connectedApplications.createdAt, connectedApplications.id],
  } as const;
  yield* rowEntries('connected_applications', connectedApplications, iterateRows(ctx, applications));
  for (const kind of JOB_KINDS)
    yield* rowEntries(TABLE_NAME[kind], getJobTable(kind), iterateJobs(ctx, kind, membership));
  for await (const { id } of iterateProjects(ctx, organizationId)) {
    for await (const corpus of iterateCorpora(ctx, String(id)))
      yield* conversationEntries(ctx, corpus, userId);
  }
  for await (const { id } of iterateProjects(ctx, organizationId)) {
    yield* indexChatEntries(ctx, String(id), userId);
  }
  const asked = iterateTraces(ctx, membership);
  yield* rowEntries('traces', traces, asked, ({ details: _, ...row }) => row);
}

/**
 * Yields the traces of what the member asked, one project after the other. Their details are left out, because answers
 * in them may quote documents that were deleted since.
 */
async function* iterateTraces(
  ctx: TenantContext,
  { organizationId, userId }: Membership,
): AsyncGenerator<Row[]> {
  for await (const { id } of iterateProjects(ctx, organizationId)) {
    const where = and(eq(traces.projectId, String(id)), eq(traces.userId, userId));
    yield* iterateRows(ctx, { table: traces, where, key: [traces.createdAt, traces.id] });
  }
}

/**
 * Yields the member's jobs, one project after the other, because the database has no index on the user of a
 * job.
 */
async function* iterateJobs(
  ctx: TenantContext,
  kind: (typeof JOB_KINDS)[number],
  { organizationId, userId }: Membership,
): AsyncGenerator<Row[]> {
  const table = getJobTable(kind);
  for await (const { id } of iterateProjects(ctx, organizationId)) {
    const where = and(eq(table.projectId, String(id)), eq(table.userId, userId));
    yield* iterateRows(ctx, { table, where, key: [table.createdAt, table.id] });
  }
}

const iterateProjects = (ctx: TenantContext, organizationId: string) =>
  iterateEachRow(ctx, {
    table: projects,
    where: eq(projects.organizationId, organizationId),
    key: [projects.name],
  });

/**
 * A pipeline or retriever whose chat sessions are exported. `column` is the column of `chatSessions` that
 * refers to it. An index of that table starts with this column.
 */
interface Corpus {
  column: typeof chatSessions.pipelineId | typeof chatSessions.retrieverId;
  id: string;
}

async function* iterateCorpora(ctx: TenantContext, projectId: string): AsyncGenerator<Corpus> {
  const ofProject = eq(pipelines.projectId, projectId);
  for await (const { id } of iterateEachRow(ctx, {
    table: pipelines,
    where: ofProject,
    key: [pipelines.createdAt, pipelines.id],
  })) {
    yield { column: chatSessions.pipelineId, id: String(id) };
  }
  const where = eq(retrievers.projectId, projectId);
  for await (const { id } of iterateEachRow(ctx, { table: retrievers, where, key: [retrievers.name] })) {
    yield { column: chatSessions.retrieverId, id: String(id) };
  }
}

async function* conversationEntries(
  ctx: TenantContext,
  { column, id }: Corpus,
  userId: string,
): AsyncGenerator<Entry> {
  const where = and(eq(column, id), eq(chatSessions.userId, userId));
  for await (const session of iterateEachRow(ctx, {
    table: chatSessions,
    where,
    key: [chatSessions.updatedAt, chatSessions.id],
  })) {
    const folder = `conversations/${session.id}`;
    yield textEntry(
      `${folder}/session.json`,
      `${JSON.stringify(toApiNames(chatSessions, session), null, 2)}\n`,
    );
    const messages = {
      table: chatMessages,
      where: eq(chatMessages.sessionId, String(session.id)),
      key: [chatMessages.position],
    } as const;
    yield* rowEntries(`${folder}/messages`, chatMessages, iterateRows(ctx, messages));
  }
}

/** Yields the member's session chats over indexes in one project, and the questions and answers in them. */
async function* indexChatEntries(
  ctx: TenantContext,
  projectId: string,
  userId: string,
): AsyncGenerator<Entry> {
  const where = and(eq(indexChats.projectId, projectId), eq(indexChats.userId, userId));
  const chats = { table: indexChats, where, key: [indexChats.createdAt, indexChats.id] } as const;
  const folder = `session_chats/${projectId}`;
  yield* rowEntries(`${folder}/sessions`, indexChats, iterateRows(ctx, chats));
  const own = ctx.db.select({ id: indexChats.id }).from(indexChats).where(where);
  const turns = {
    table: indexChatTurns,
    where: and(eq(indexChatTurns.projectId, projectId), inArray(indexChatTurns.chatId, own)),
    key: [indexChatTurns.id],
  } as const;
  yield* rowEntries(`${folder}/turns`, indexChatTurns, iterateRows(ctx, turns));
}

async function* iterateEachRow(ctx: TenantContext, rows: Rows): AsyncGenerator<Row> {
  for await (const page of iterateRows(ctx, rows)) yield* page;
}
