import { readFileSync } from 'node:fs';
import { type ServiceClient, sleep } from '../../../test/process/service.ts';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { furnish } from './furnished.ts';

const SCREENS = 'console/src/shell/screens.tsx';
const ENDED = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

/** Returns the routes of all screens, such as `/indexes/:id`. */
export function listRoutes(): string[] {
  const source = readFileSync(SCREENS, 'utf8');
  const routes = [...source.matchAll(/^ {2}'(\/[^']+)':/gm)].map(([, route]) => route!);
  const screens = source.match(/import\('\.\.\/screens\//g) ?? [];
  // The screen of the initial bundle is imported statically.
  if (routes.length !== screens.length + 1)
    throw new Error(`${SCREENS} has screens whose route was not found`);
  return routes;
}

/** Creates data for every screen, and returns the address of each route that has parameters. */
export async function furnishScreens(service: ServiceClient): Promise<Record<string, string>> {
  const { pipelineId, fileId } = await furnish(service);
  const make = async (path: string, body: object) =>
    (await service.call<{ id: string }>('POST', path, body)).id;
  const data_schema = {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'Title of the document' },
      fax: { type: ['string', 'null'], description: 'Fax number' },
    },
  };
  const rules = [{ type: 'manual', description: 'explains how a harbour works' }];
  const jobs = {
    parse: await make('/api/v2/parse', { file_id: fileId, configuration: {} }),
    extract: await make('/api/v2/extract', { file_input: fileId, configuration: { data_schema } }),
    classify: await make('/api/v2/classify', { file_input: fileId, configuration: { rules } }),
  };
  const batch = await make('/api/v2/batches', {
    name: 'Manuals',
    job_type: 'extract',
    file_ids: [fileId],
    configuration: { data_schema },
  });
  const retriever = await make('/api/v1/retrievers', {
    name: 'Everything',
    pipelines: [{ pipeline_id: pipelineId, name: 'harbour', description: 'Documents of the harbour.' }],
  });
  const questionSet = await make('/api/v1/evaluations/question-sets', { name: 'Harbour' });
  await service.call('POST', `/api/v1/evaluations/question-sets/${questionSet}/questions`, {
    questions: [
      { text: 'How deep may a ship be?', tags: ['berths'], expected_passages: [{ text: 'takes ships' }] },
    ],
  });
  const run = await make('/api/v1/evaluations/runs', {
    question_set_id: questionSet,
    pipeline_id: pipelineId,
  });
  const sweptSet = await make('/api/v1/evaluations/question-sets', { name: 'Berths' });
  await service.call('POST', `/api/v1/evaluations/question-sets/${sweptSet}/questions`, {
    questions: Array.from({ length: 30 }, (_, berth) => ({
      text: `How deep may a ship be at berth ${berth}?`,
      expected_passages: [{ text: 'takes ships' }],
    })),
  });
  const sweep = await make('/api/v1/evaluations/sweeps', {
    ...{ question_set_id: sweptSet, pipeline_id: pipelineId, alphas: [0], reranking: [false] },
  });
  const truthSet = await make('/api/v1/evaluations/truth-sets', { name: 'Notices', kind: 'classification' });
  await service.call('POST', `/api/v1/evaluations/truth-sets/${truthSet}/truths`, {
    truths: [{ file_id: fileId, type: 'manual' }],
  });
  const accuracyRun = await make('/api/v1/evaluations/accuracy-runs', {
    truth_set_id: truthSet,
    classify_configuration: { rules },
  });
  const chat = { id: 'walk', messages: [{ role: 'user', content: 'How deep may a ship be?' }] };
  const stream = await service.fetch('POST', `/api/v1/pipelines/${pipelineId}/chat`, chat);
  // Feedback on an answer makes a trace, whatever the settings of the project are.
  const trace = /"messageId":"([^"]+)"/.exec(await stream.text())![1]!;
  await service.call('PUT', `/api/v1/traces/${trace}/feedback`, { rating: 'down', comment: 'Too short.' });
  await make('/api/v1/data-sinks', {
    name: 'Elsewhere',
    sink_type: 'VENDOR_G',
    component: { url: 'https://vectors.example.com', collection_name: 'harbour', api_key: 'none' },
  });
  await make('/api/v1/beta/webhook-configs', { webhook_url: 'https://example.com/events' });
  for (const [product, id] of [...Object.entries(jobs), ['batches', batch]]) {
    const deadline = Date.now() + PATIENCE_MS;
    const read = () => service.call<{ status: string }>('GET', `/api/v2/${product}/${id}`);
    while (!ENDED.has((await read()).status)) {
      if (Date.now() > deadline) throw new Error(`the ${product} job did not end`);
      await sleep(200);
    }
  }
  return {
    '/indexes/:id': `/indexes/${pipelineId}`,
    '/indexes/:id/playground': `/indexes/${pipelineId}/playground?q=When+does+the+sluice+open%3F`,
    '/indexes/:id/files': `/indexes/${pipelineId}/files`,
    '/indexes/:id/files/:fid': `/indexes/${pipelineId}/files/${fileId}`,
    '/indexes/:id/sources': `/indexes/${pipelineId}/sources`,
    '/indexes/:id/runs': `/indexes/${pipelineId}/runs`,
    '/indexes/:id/settings': `/indexes/${pipelineId}/settings`,
    '/indexes/:id/chat': `/indexes/${pipelineId}/chat?panel=parameters`,
    '/files/:id': `/files/${fileId}`,
    '/parse/:job': `/parse/${jobs.parse}`,
    '/extract/:job': `/extract/${jobs.extract}`,
    '/classify/:job': `/classify/${jobs.classify}`,
    '/batches/:id': `/batches/${batch}`,
    '/retrievers/:id': `/retrievers/${retriever}`,
    '/traces/:id': `/traces/${trace}`,
    '/evaluations/sets/:id': `/evaluations/sets/${questionSet}`,
    '/evaluations/runs/:id': `/evaluations/runs/${run}`,
    '/evaluations/sweeps/:id': `/evaluations/sweeps/${sweep}`,
    '/evaluations/truth-sets/:id': `/evaluations/truth-sets/${truthSet}`,
    '/evaluations/accuracy-runs/:id': `/evaluations/accuracy-runs/${accuracyRun}`,
  };
}
