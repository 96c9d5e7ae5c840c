import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { goOn, pageInput } from '#src/api/mcp/page.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { pageOf } from '#src/api/operation/schemas.ts';
import { nameContains } from '#src/api/v1/files/beta-files.ts';
import { fileBody } from '#src/api/v1/files/files.ts';
import { pipelineFileBody } from '#src/api/v1/pipelines/pipeline-files.ts';
import { pipelineParams } from '#src/api/v1/pipelines/pipelines.ts';
import type { TenantContext } from '#src/context/context.ts';
import { DEFAULT_PAGE_SIZE } from '#src/db/paging.ts';
import { Invalid } from '#src/lib/errors.ts';
import { pageOfFilesWith } from '#src/retrieval/find-files.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { pageOfFiles } from '#src/services/files/listing.ts';
import { cursorPageOfPipelineFiles } from '#src/services/pipelines/pipeline-file-lists.ts';

const input = pageInput.extend({
  pipeline_id: pipelineParams.shape.pipeline_id
    .nullish()
    .describe('Only files of this pipeline. Without it all files of the project.'),
  name_contains: nameContains,
  filters: presetRetrievalParameters.shape.search_filters.describe(
    'Only indexed files with this metadata; needs pipeline_id. As of search.',
  ),
});

const foundFile = fileBody.pick({ name: true, file_type: true, file_size: true }).extend({
  file_id: fileBody.shape.id,
  status: pipelineFileBody.shape.status.nullish().describe('In the pipeline, where one is named.'),
  metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe('With filters: what the index knows of the file, where this answer has room for it.'),
});
type Found = z.input<typeof foundFile>;
interface FoundPage {
  items: Found[];
  next_page_token: string | null;
  total_size?: number;
}

export const findFiles = tool({
  name: 'find_files',
  title: 'Find files',
  description:
    'Lists files by a part of their name or by their metadata: of the whole project, or of one pipeline with their ' +
    'state in it. Give the file_id to read_pages, extract or classify. For what files say use search.',
  input,
  output: pageOf(foundFile),
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const page = await found(ctx, input);
    const lines = page.items.map(
      ({ file_id, name, file_size, status }) =>
        `- ${file_id} ${JSON.stringify(name)}${file_size == null ? '' : `, ${file_size} bytes`}${status ? `, ${status}` : ''}`,
    );
    const { text } = new Budget().take(lines.join('\n') || 'none');
    const total = page.total_size === undefined ? '' : ` of ${page.total_size}`;
    const told = `${page.items.length}${total} files:\n${fence(text)}${goOn(page.next_page_token)}`;
    return { data: page, text: told };
  },
});

async function found(ctx: TenantContext, asked: z.output<typeof input>): Promise<FoundPage> {
  const { pipeline_id: pipelineId, name_contains, filters, ...paging } = asked;
  if (filters && !pipelineId) {
    throw Invalid.field(
      ['pipeline_id'],
      'is required beside filters: metadata are those of a pipeline',
      'missing',
    );
  }
  if (pipelineId && filters) {
    const page = await pageOfFilesWith(ctx, pipelineId, {
      filters,
      nameContains: name_contains,
      pageSize: paging.page_size ?? DEFAULT_PAGE_SIZE,
      pageToken: paging.page_token,
    });
    const budget = new Budget();
    return {
      ...page,
      items: page.items.map(({ documentId, title, metadata }) => ({
        file_id: documentId,
        name: title,
        ...(budget.takeWhole(JSON.stringify(metadata)) && { metadata }),
      })),
    };
  }
  if (pipelineId) {
    const query = { ...paging, file_name_contains: name_contains };
    const page = await cursorPageOfPipelineFiles(ctx, pipelineId, query);
    const items = page.items.map(({ file, member }) => ({
      ...presentFound(file),
      status: member.status as Found['status'],
    }));
    return { ...page, items };
  }
  const filter = { name_contains };
  const page = await pageOfFiles(ctx, { filter, pageSize: paging.page_size, pageToken: paging.page_token });
  return { ...page, items: page.items.map(presentFound) };
}

const presentFound = (row: {
  id: string;
  name: string;
  fileType: string | null;
  fileSize: number | null;
}): Found => ({ file_id: row.id, name: row.name, file_type: row.fileType, file_size: row.fileSize });
