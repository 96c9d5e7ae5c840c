import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import {
  apiKeys,
  chatMessages,
  chatSessions,
  type Membership,
  members,
  pipelines,
  projects,
  retrievers,
} from '#src/db/schema/index.ts';
import { Forbidden } from '#src/lib/errors.ts';
import { jobTable, KINDS, TABLE_NAME } from '#src/services/jobs/kinds.ts';
import { getMember, requireAdmin } from '#src/services/tenancy/memberships.ts';
import { archive, type Entry, textEntry } from './archive.ts';
import { PERSON_README } from './readme.ts';
import { nameMembers, pagesOf, type Row, type Rows, rowEntries } from './rows.ts';

/**
 * Exports the data of one member of the request's organization as a streamed tar archive. Allowed for the
 * member and for the organization's admins, with a key for the whole organization.
 */
export async function exportPerson(ctx: TenantContext, userId: string): Promise<AsyncGenerator<Uint8Array>> {
  const { organizationId, actor } = ctx;
  if (actor.userId !== userId) await requireAdmin(ctx, organizationId);
  else if (actor.projectId) throw new Forbidden('A key that is scoped to a project cannot do this.');
  const membership = await getMember(ctx, organizationId, userId);
  ctx.log.info('person exported', { organizationId, userId, by: actor.userId });
  return archive(personEntries(ctx, membership));
}

async function* personEntries(ctx: TenantContext, membership: Membership): AsyncGenerator<Entry> {
  const { organizationId, userId } = membership;
  yield textEntry('README.txt', PERSON_README);
  yield textEntry('membership.json', `${JSON.stringify(nameMembers(members, { ...membership }), null, 2)}\n`);
  const own = and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.userId, userId));
  const ownKeys = { table: apiKeys, where: own, key: [apiKeys.createdAt, apiKeys.id] } as const;
  yield* rowEntries('api_keys', apiKeys, pagesOf(ctx, ownKeys));
  for (const kind of KINDS)
    yield* rowEntries(TABLE_NAME[kind], jobTable(kind), jobsOf(ctx, kind, membership));
  for await (const { id } of projectsOf(ctx, organizationId)) {
    for await (const asked of askedIn(ctx, String(id))) yield* conversations(ctx, asked, userId);
  }
}

/** Reads the jobs project by project, because no index covers a person's jobs. */
async function* jobsOf(
  ctx: TenantContext,
  kind: (typeof KINDS)[number],
  { organizationId, userId }: Membership,
): AsyncGenerator<Row[]> {
  const table = jobTable(kind);
  for await (const { id } of projectsOf(ctx, organizationId)) {
    const where = and(eq(table.projectId, String(id)), eq(table.userId, userId));
    yield* pagesOf(ctx, { table, where, key: [table.createdAt, table.id] });
  }
}

const projectsOf = (ctx: TenantContext, organizationId: string) =>
  each(ctx, {
    table: projects,
    where: eq(projects.organizationId, organizationId),
    key: [projects.name],
  });

/**
 * A pipeline or retriever whose chat sessions are exported. `column` refers to it and leads the index of a
 * person's sessions.
 */
interface Asked {
  column: typeof chatSessions.pipelineId | typeof chatSessions.retrieverId;
  id: string;
}

async function* askedIn(ctx: TenantContext, projectId: string): AsyncGenerator<Asked> {
  const ofProject = eq(pipelines.projectId, projectId);
  for await (const { id } of each(ctx, {
    table: pipelines,
    where: ofProject,
    key: [pipelines.createdAt, pipelines.id],
  })) {
    yield { column: chatSessions.pipelineId, id: String(id) };
  }
  const where = eq(retrievers.projectId, projectId);
  for await (const { id } of each(ctx, { table: retrievers, where, key: [retrievers.name] })) {
    yield { column: chatSessions.retrieverId, id: String(id) };
  }
}

async function* conversations(
  ctx: TenantContext,
  { column, id }: Asked,
  userId: string,
): AsyncGenerator<Entry> {
  const where = and(eq(column, id), eq(chatSessions.userId, userId));
  for await (const session of each(ctx, {
    table: chatSessions,
    where,
    key: [chatSessions.updatedAt, chatSessions.id],
  })) {
    const folder = `conversations/${session.id}`;
    yield textEntry(
      `${folder}/session.json`,
      `${JSON.stringify(nameMembers(chatSessions, session), null, 2)}\n`,
    );
    const messages = {
      table: chatMessages,
      where: eq(chatMessages.sessionId, String(session.id)),
      key: [chatMessages.position],
    } as const;
    yield* rowEntries(`${folder}/messages`, chatMessages, pagesOf(ctx, messages));
  }
}

async function* each(ctx: TenantContext, rows: Rows): AsyncGenerator<Row> {
  for await (const page of pagesOf(ctx, rows)) yield* page;
}
