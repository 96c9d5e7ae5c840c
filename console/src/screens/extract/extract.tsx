import { useParams, useSearchParams } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import { JobsPage } from '../jobs/jobs-page.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { Extraction } from './extraction.tsx';
import { NewExtraction } from './new-extraction.tsx';

/** Pulling values out of documents: /extract for a new job, /extract/:job for one of them. */
export default function Extract() {
  const { job } = useParams();
  const [search] = useSearchParams();
  const pageToken = search.get('page_token') ?? undefined;
  const read = useAnswer(
    'GET /api/v2/extract',
    { query: { page_size: 20, ...(pageToken && { page_token: pageToken }) } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const items = read.data?.items.map(({ file_input, ...each }) => ({ ...each, input: file_input }));
  return (
    <JobsPage
      title="Extract"
      lead="Values out of documents, each with the place where it is printed."
      place="/extract"
      newLabel="New extraction"
      calls={callsOf(job)}
      jobs={{ ...read, data: items && { items, next_page_token: read.data?.next_page_token } }}
      pageToken={pageToken}
      shown={job}
    >
      {job ? <Extraction key={job} id={job} /> : <NewExtraction />}
    </JobsPage>
  );
}

const callsOf = (job: string | undefined) => [
  {
    what: 'Extract values from a file',
    ...requestOf('POST /api/v2/extract', {
      body: {
        file_input: 'FILE_ID',
        configuration: {
          data_schema: { type: 'object', properties: { total: { type: 'number' } } },
          cite_sources: true,
        },
      },
    }),
  },
  {
    what: 'Read a job and its result',
    ...requestOf('GET /api/v2/extract/{job_id}', { params: { job_id: job ?? 'JOB_ID' } }),
  },
];
