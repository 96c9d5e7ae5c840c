import { useParams, useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { JobsPage } from '../jobs/jobs-page.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { NewParse } from './new-parse.tsx';
import { Parsed } from './parsed.tsx';

/** Parse jobs: /parse shows the form for a new job, /parse/:job shows a job. */
export default function Parse() {
  const { job } = useParams();
  const [search] = useSearchParams();
  const pageToken = search.get('page_token') ?? undefined;
  const read = useApiQuery(
    'GET /api/v2/parse',
    { query: { page_size: 20, ...(pageToken && { page_token: pageToken }) } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const items = read.data?.items.map((each) => ({ ...each, input: each.url ?? each.file_id ?? '' }));
  return (
    <JobsPage
      title={t('Parse')}
      lead={t('Convert documents to text and Markdown, page by page.')}
      path="/parse"
      newLabel={t('New parse')}
      calls={buildCalls(job)}
      jobs={{ ...read, data: items && { items, next_page_token: read.data?.next_page_token } }}
      pageToken={pageToken}
      shown={job}
    >
      {job ? <Parsed key={job} id={job} /> : <NewParse />}
    </JobsPage>
  );
}

const buildCalls = (job: string | undefined) => [
  { what: t('Parse a file'), ...buildRequest('POST /api/v2/parse', { body: { file_id: 'FILE_ID' } }) },
  {
    what: t('Get the pages of a job'),
    ...buildRequest('GET /api/v2/parse/{job_id}', {
      params: { job_id: job ?? 'JOB_ID' },
      query: { expand: ['markdown'] },
    }),
  },
];
