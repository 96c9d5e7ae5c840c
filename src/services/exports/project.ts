import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { filesOf, textsOf } from '#src/db/pipeline-members.ts';
import { type Project, pipelineMembers } from '#src/db/schema/index.ts';
import { getProject } from '#src/services/organizations/projects.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { archive, type Entry, textEntry } from './archive.ts';
import { objectEntries, objectEntry, safeName } from './bucket-entries.ts';
import { PIPELINE_TABLES, PROJECT_TABLES } from './project-tables.ts';
import { PROJECT_README } from './readme.ts';
import { masked, named, pagesOf, type Row, rowEntries } from './rows.ts';

/** Everything that a project owns, as a tar archive that is read while it is sent. For admins. */
export async function exportProject(ctx: TenantContext, id: string): Promise<AsyncGenerator<Uint8Array>> {
  const project = await getProject(ctx, id);
  await requireAdmin(ctx, project.organizationId);
  ctx.log.info('project exported', { projectId: id, by: ctx.actor.userId });
  return archive(projectEntries(ctx, project));
}

async function* projectEntries(ctx: TenantContext, project: Project): AsyncGenerator<Entry> {
  yield textEntry('README.txt', PROJECT_README);
  yield textEntry('project.json', `${await masked(JSON.stringify(named({ ...project }), null, 2))}\n`);
  for (const [name, rowsOf] of Object.entries(PROJECT_TABLES)) {
    yield* rowEntries(name, pagesOf(ctx, rowsOf(project.id)));
  }
  for await (const pipelines of pagesOf(ctx, PROJECT_TABLES.pipelines(project.id))) {
    for (const { id } of pipelines) yield* pipelineEntries(ctx, project.id, String(id));
  }
  for await (const files of pagesOf(ctx, PROJECT_TABLES.files(project.id))) {
    for (const { id, name, storageKey } of files) {
      if (!storageKey) continue;
      yield await objectEntry(ctx, String(storageKey), `files/${id}/${safeName(String(name))}`);
    }
  }
  const own = keys.project(project.id);
  for (const made of [keys.parses(project.id), keys.jobs(project.id)]) {
    yield* objectEntries(ctx, made, (key) => key.slice(own.length));
  }
}

async function* pipelineEntries(
  ctx: TenantContext,
  projectId: string,
  pipelineId: string,
): AsyncGenerator<Entry> {
  const folder = `pipelines/${pipelineId}`;
  for (const [name, rowsOf] of Object.entries(PIPELINE_TABLES)) {
    yield* rowEntries(`${folder}/${name}`, pagesOf(ctx, rowsOf(pipelineId)));
  }
  const members = { table: pipelineMembers, key: [pipelineMembers.createdAt, pipelineMembers.id] } as const;
  yield* rowEntries(`${folder}/files`, pagesOf(ctx, { ...members, where: filesOf(pipelineId) }));
  const documents = () => pagesOf(ctx, { ...members, where: textsOf(pipelineId) });
  const textName = ({ id }: Row) => `${folder}/texts/${id}.txt`;
  yield* rowEntries(`${folder}/documents`, documents(), (row) =>
    row.text === null ? { ...row, text_file: textName(row) } : row,
  );
  for await (const rows of documents()) {
    for (const row of rows) {
      if (row.text !== null) continue;
      yield await objectEntry(
        ctx,
        keys.documentText(projectId, pipelineId, String(row.textId)),
        textName(row),
      );
    }
  }
}
