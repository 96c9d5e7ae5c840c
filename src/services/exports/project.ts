import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { whereFiles, whereTexts } from '#src/db/pipeline-members.ts';
import { type Project, pipelineMembers, projects } from '#src/db/schema/index.ts';
import { getProject } from '#src/services/organizations/projects.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { createArchive, type Entry, textEntry } from './archive.ts';
import { objectEntries, objectEntry, safeName } from './bucket-entries.ts';
import { PIPELINE_FILES, PROJECT_FILES } from './project-tables.ts';
import { PROJECT_README } from './readme.ts';
import { iterateRows, maskSealed, type Row, rowEntries, toApiNames } from './rows.ts';

/** Exports everything that a project owns as a streamed tar archive. Requires an admin. */
export async function exportProject(ctx: TenantContext, id: string): Promise<AsyncGenerator<Uint8Array>> {
  const project = await getProject(ctx, id);
  await requireAdmin(ctx, project.organizationId);
  ctx.log.info('project exported', { projectId: id, by: ctx.actor.userId });
  return createArchive(projectEntries(ctx, project));
}

async function* projectEntries(ctx: TenantContext, project: Project): AsyncGenerator<Entry> {
  yield textEntry('README.txt', PROJECT_README);
  yield textEntry(
    'project.json',
    `${await maskSealed(JSON.stringify(toApiNames(projects, { ...project }), null, 2))}\n`,
  );
  for (const [file, selectRows] of PROJECT_FILES) {
    const rows = selectRows(project.id);
    yield* rowEntries(file, rows.table, iterateRows(ctx, rows));
  }
  for await (const rows of iterateRows(ctx, PROJECT_FILES.get('pipelines')!(project.id))) {
    for (const { id } of rows) yield* pipelineEntries(ctx, project.id, String(id));
  }
  for await (const rows of iterateRows(ctx, PROJECT_FILES.get('files')!(project.id))) {
    for (const { id, name, storageKey } of rows) {
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
  for (const [file, selectRows] of PIPELINE_FILES) {
    const rows = selectRows(pipelineId);
    yield* rowEntries(`${folder}/${file}`, rows.table, iterateRows(ctx, rows));
  }
  const members = { table: pipelineMembers, key: [pipelineMembers.createdAt, pipelineMembers.id] } as const;
  yield* rowEntries(
    `${folder}/files`,
    pipelineMembers,
    iterateRows(ctx, { ...members, where: whereFiles(pipelineId) }),
  );
  const documents = () => iterateRows(ctx, { ...members, where: whereTexts(pipelineId) });
  const textName = ({ id }: Row) => `${folder}/texts/${id}.txt`;
  yield* rowEntries(`${folder}/documents`, pipelineMembers, documents(), (row) =>
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
