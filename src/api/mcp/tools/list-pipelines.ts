import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { goOn, pageInput } from '#src/api/mcp/page.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { pipelineBody } from '#src/api/v1/pipelines/pipelines.schemas.ts';
import { presentOverview } from '#src/api/v1/pipelines/pipelines.ts';
import { presentRetriever, retrieverBody } from '#src/api/v1/retrievers.ts';
import { listRetrievers } from '#src/retrieval/retrievers.ts';
import { getPipelinePage } from '#src/services/pipelines/lists.ts';
import { getOverviews } from '#src/services/pipelines/overview.ts';

const pipeline = pipelineBody.pick({
  id: true,
  name: true,
  pipeline_type: true,
  ingestion: true,
  counts: true,
});
const retriever = retrieverBody.pick({ id: true, name: true, pipelines: true });
const MOST_RETRIEVERS = 200;

export const listPipelines = tool({
  name: 'list_pipelines',
  title: 'List pipelines',
  description:
    'Lists the pipelines of the project, newest first. Each is an index of documents with its id, its name, the number of files and ' +
    'documents by state, and the state of the newest sync. The first page also lists the retrievers, which ' +
    'search several pipelines at once, with their descriptions of each pipeline. Begin here: search, ask and ' +
    'find_files need an id from this list.',
  input: pageInput.extend({
    name: z.string().nullish().describe('Only pipelines and retrievers with exactly this name.'),
  }),
  output: buildPageSchema(pipeline).extend({
    retrievers: z
      .array(
        retriever.extend({
          pipelines: z.array(
            retrieverBody.shape.pipelines.element.pick({ pipeline_id: true, name: true, description: true }),
          ),
        }),
      )
      .describe('Retrievers of the project, at most 200. Only on the first page.'),
  }),
  needs: 'retrieve',
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const page = await getPipelinePage(ctx, input);
    const ids = page.items.map(({ id }) => id);
    const [overviews, retrievers] = await Promise.all([
      getOverviews(ctx, ids, ['status', 'counts']),
      input.page_token ? [] : listRetrievers(ctx, input.name),
    ]);
    const items = page.items.map(({ id, name, pipelineType }) => ({
      ...{ id, name, pipeline_type: pipelineType },
      ...presentOverview(overviews.get(id)!),
    }));
    const shown = retrievers.slice(0, MOST_RETRIEVERS).map((row) => {
      const { id, name, pipelines } = presentRetriever(row);
      const members = pipelines.map(({ pipeline_id, name, description }) => ({
        ...{ pipeline_id, name, description },
      }));
      return { id, name, pipelines: members };
    });
    const lines = [
      `${items.length} of ${page.total_size} pipelines.`,
      ...items.map(
        ({ id, name, counts, ingestion }) =>
          `- ${id} ${JSON.stringify(name)}: ${describeCounts(counts?.files)} files, ${describeCounts(counts?.documents)} documents; newest sync: ${ingestion?.status}`,
      ),
      ...shown.map(({ id, name, pipelines }) => {
        const members = pipelines.map(({ pipeline_id, name, description }) =>
          [pipeline_id, name, description].filter(Boolean).join(', '),
        );
        return `- retriever ${id} ${JSON.stringify(name)} over: ${members.join('; ') || 'nothing'}`;
      }),
    ];
    const { text } = new Budget().take(lines.join('\n'));
    return { data: { ...page, items, retrievers: shown }, text: fence(text) + goOn(page.next_page_token) };
  },
});

/** Returns the counts above zero with their statuses as text, or `0` if there are none. */
function describeCounts(counts: Record<string, number> = {}): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([status, count]) => `${count} ${status}`).join(', ') || '0';
}
