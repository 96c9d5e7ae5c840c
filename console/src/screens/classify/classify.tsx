import { useParams, useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { JobsPage } from '../jobs/jobs-page.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { Classification } from './classification.tsx';
import { NewClassification } from './new-classification.tsx';

/** Classification jobs: /classify shows the form for a new job, /classify/:job shows a job. */
export default function Classify() {
  const { job } = useParams();
  const [search] = useSearchParams();
  const pageToken = search.get('page_token') ?? undefined;
  const read = useApiQuery(
    'GET /api/v2/classify',
    { query: { page_size: 20, ...(pageToken && { page_token: pageToken }) } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const items = read.data?.items.map(({ file_input, ...each }) => ({ ...each, input: file_input }));
  return (
    <JobsPage
      title={t('Classify')}
      lead={t('Assign types to documents with rules in plain language.')}
      path="/classify"
      newLabel={t('New classification')}
      calls={buildCalls(job)}
      jobs={{ ...read, data: items && { items, next_page_token: read.data?.next_page_token } }}
      pageToken={pageToken}
      shown={job}
    >
      {job ? <Classification key={job} id={job} /> : <NewClassification />}
    </JobsPage>
  );
}

const buildCalls = (job: string | undefined) => [
  {
    what: t('Classify a file'),
    ...buildRequest('POST /api/v2/classify', {
      body: {
        file_input: 'FILE_ID',
        configuration: {
          rules: [{ type: 'invoice', description: 'Asks for money, with a number and a total' }],
        },
      },
    }),
  },
  {
    what: t('Get the result'),
    ...buildRequest('GET /api/v2/classify/{job_id}', { params: { job_id: job ?? 'JOB_ID' } }),
  },
];
