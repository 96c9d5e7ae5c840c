import { readFileSync } from 'node:fs';
import { Document, MetadataMode } from '@llamaindex/core/schema';
import { LLamaCloudFileService, LlamaCloudIndex } from 'llama-cloud-services';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmbeddingServer } from '../embedding-server.ts';
import { SharedService } from '../shared-client.ts';
import { until } from './until.ts';

const service = new SharedService();
const models = new EmbeddingServer();

interface Pipeline {
  id: string;
  project_id: string;
}

beforeAll(() => Promise.all([service.start(), models.start()]));
afterAll(() => Promise.all([service.end(), models.stop()]));

/** Parameters of the classes, which find project and index by name. */
async function params(name: string) {
  const [project] = await service.call<{ name: string }[]>('GET', '/api/v1/projects');
  return { name, projectName: project!.name, apiKey: service.key, baseUrl: `${service.base}/compat` };
}

const note = (id: string, text: string) => new Document({ id_: id, text, metadata: { source_type: 'S3' } });

it('creates, queries, changes and deletes an index of documents', async () => {
  const given = await params('notes');
  const documents = [note('bell', 'The bell rings at nine.'), note('quay', 'The quay is nine metres deep.')];
  const config = {
    embedding: {
      type: 'OPENAI_EMBEDDING' as const,
      component: { api_key: models.key, api_base: models.base, model_name: 'loopback' },
    },
    transform: { mode: 'auto' as const, chunk_size: 512, chunk_overlap: 64 },
  };
  const index = await LlamaCloudIndex.fromDocuments({ ...given, documents }, config);
  const ask = async () => {
    const found = await index
      .asRetriever({ similarityTopK: 5 })
      .retrieve({ query: 'When does the bell ring, and how deep is the quay?' });
    return found.map(({ node }) => node);
  };
  expect(new Set(models.requests.map(({ model }) => model))).toEqual(new Set(['loopback']));
  const nodes = await ask();
  expect(nodes.map((node) => node.getContent(MetadataMode.NONE))).toContain('The bell rings at nine.');
  expect(nodes[0]?.metadata).toMatchObject({ source_type: 'S3' });

  // Inserting a known document updates it.
  await index.insert(note('bell', 'The bell rings at ten.'));
  await index.refreshDoc(note('quay', 'The quay is ten metres deep.'));
  const texts = async () => (await ask()).map((node) => node.getContent(MetadataMode.NONE));
  expect((await texts()).toSorted()).toEqual(['The bell rings at ten.', 'The quay is ten metres deep.']);
  await index.delete(note('bell', ''));
  expect(await texts()).toEqual(['The quay is ten metres deep.']);
});

it('indexes a file and finds its pictures', async () => {
  const given = await params('manual');
  const pipeline = await service.call<Pipeline>('PUT', '/compat/api/v1/pipelines', { name: 'manual' });
  const index = new LlamaCloudIndex(given);
  const pdf = new File([readFileSync('examples/harbour-manual.pdf')], 'harbour-manual.pdf');
  const id = await LLamaCloudFileService.addFileToPipeline(pipeline.project_id, pipeline.id, pdf, {
    kind: 'manual',
  });
  const projects = await LLamaCloudFileService.getAllProjectsWithPipelines();
  expect(projects.flatMap(({ pipelines }) => pipelines.map((each) => each.name))).toContain('manual');
  const url = await LLamaCloudFileService.getFileUrl(pipeline.id, 'harbour-manual.pdf');
  expect((await (await fetch(url!)).text()).slice(0, 4)).toBe('%PDF');

  const retriever = index.asRetriever({
    similarityTopK: 3,
    retrieve_page_screenshot_nodes: true,
    retrieve_page_figure_nodes: true,
  });
  let nodes: Awaited<ReturnType<typeof retriever.retrieve>> = [];
  await until(async () => {
    nodes = await retriever.retrieve({ query: 'Who keeps the lighthouse?' });
    return nodes.length > 0;
  });
  const pictures = nodes.filter(({ node }) => 'image' in node).map(({ node }) => node);
  expect(nodes.some(({ node }) => node.metadata.kind === 'manual')).toBe(true);
  expect(pictures[0]?.metadata).toMatchObject({ file_id: id, page_index: expect.any(Number) });
});
