import { useParams, useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { JobsPage } from '../jobs/jobs-page.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { Extraction } from './extraction.tsx';
import { NewExtraction } from './new-extraction.tsx';

/** Extraction jobs: /extract shows the form for a new job, /extract/:job shows a job. */
export default function Extract() {
  const { job } = useParams();
  const [search] = useSearchParams();
  const pageToken = search.get('page_token') ?? undefined;
  const read = useApiQuery(
    'GET /api/v2/extract',
    { query: { page_size: 20, ...(pageToken && { page_token: pageToken }) } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const items = read.data?.items.map(({ file_input, ...each }) => ({ ...each, input: file_input }));
  return (
    <JobsPage
      title={t('Extract')}
      lead={t('Extract values from documents, each with its position on the page.')}
      path="/extract"
      newLabel={t('New extraction')}
      calls={buildCalls(job)}
      jobs={{ ...read, data: items && { items, next_page_token: read.data?.next_page_token } }}
      pageToken={pageToken}
      shown={job}
    >
      {job ? <Extraction key={job} id={job} /> : <NewExtraction />}
    </JobsPage>
  );
}

const buildCalls = (job: string | undefined) => [
  {
    what: t('Extract values from a file'),
    ...buildRequest('POST /api/v2/extract', {
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
    what: t('Get a job and its result'),
    ...buildRequest('GET /api/v2/extract/{job_id}', { params: { job_id: job ?? 'JOB_ID' } }),
  },
];
