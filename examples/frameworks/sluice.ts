const { SLUICE_URL, SLUICE_API_KEY = '' } = process.env;

/** Options of clients for OpenAI's API, which the service speaks too. */
export const openAiOptions = { baseURL: `${SLUICE_URL}/openai/v1`, apiKey: SLUICE_API_KEY };

export interface Passage {
  score: number;
  node: { id_: string; text: string; extra_info: Record<string, unknown> };
}

/** Sends a request to the service and returns the JSON of the answer. */
async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(SLUICE_URL + path, {
    method,
    headers: {
      Authorization: `Bearer ${SLUICE_API_KEY}`,
      ...(!isForm && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json() as Promise<Answer>;
}

/** Uploads a file. A file of the same name is replaced. */
export function uploadFile(upload: File) {
  const form = new FormData();
  form.append('upload_file', upload);
  form.append('external_file_id', upload.name);
  return call<{ id: string }>('POST', '/api/v1/files', form);
}

const waitShortly = () => new Promise((resolve) => setTimeout(resolve, 500));

/** Adds a file to the pipeline of this name, and waits until it is indexed. */
export async function indexFile(file: { id: string }, pipelineName: string) {
  const pipeline = await call<{ id: string; name: string }>('PUT', '/api/v1/pipelines', {
    name: pipelineName,
  });
  await call('PUT', `/api/v1/pipelines/${pipeline.id}/files`, [{ file_id: file.id }]);
  const readStatus = () => call<{ status: string }>('GET', `/api/v1/pipelines/${pipeline.id}/status`);
  let { status } = await readStatus();
  while (status === 'IN_PROGRESS') {
    await waitShortly();
    ({ status } = await readStatus());
  }
  if (status !== 'SUCCESS') throw new Error(`The pipeline has the status ${status}.`);
  return pipeline;
}

/** Finds the passages of a pipeline that fit a query best. */
export async function retrieve(pipelineId: string, query: string): Promise<Passage[]> {
  const path = `/api/v1/pipelines/${pipelineId}/retrieve`;
  const answer = await call<{ retrieval_nodes: Passage[] }>('POST', path, { query, rerank_top_n: 3 });
  return answer.retrieval_nodes;
}

interface Job {
  id: string;
  status: string;
  error_message?: string | null;
}

/** Runs a job, such as `extract` or `parse`, and waits until it has ended. `query` says what is read of it. */
export async function runJob<Result>(kind: string, request: object, query = ''): Promise<Result> {
  let job = await call<Job>('POST', `/api/v2/${kind}`, request);
  const path = `/api/v2/${kind}/${job.id}${query}`;
  do {
    await waitShortly();
    job = await call<Job>('GET', path);
  } while (job.status === 'PENDING' || job.status === 'RUNNING');
  if (job.status !== 'COMPLETED') throw new Error(job.error_message ?? `The job is ${job.status}.`);
  return job as Result;
}

/** Extracts values from a whole file in the form of a JSON Schema. */
export async function extract(file: { id: string }, dataSchema: object): Promise<unknown> {
  const request = { file_input: file.id, configuration: { data_schema: dataSchema } };
  return (await runJob<{ extract_result: unknown }>('extract', request)).extract_result;
}
