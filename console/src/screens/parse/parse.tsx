import { useParams, useSearchParams } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import { JobsPage } from '../jobs/jobs-page.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { NewParse } from './new-parse.tsx';
import { Parsed } from './parsed.tsx';

/** Reading documents: /parse for a new job, /parse/:job for what one has read. */
export default function Parse() {
  const { job } = useParams();
  const [search] = useSearchParams();
  const pageToken = search.get('page_token') ?? undefined;
  const read = useAnswer(
    'GET /api/v2/parse',
    { query: { page_size: 20, ...(pageToken && { page_token: pageToken }) } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const items = read.data?.items.map((each) => ({ ...each, input: each.url ?? each.file_id ?? '' }));
  return (
    <JobsPage
      title="Parse"
      lead="What is read of a document, page by page, beside its picture."
      place="/parse"
      newLabel="New parse"
      calls={callsOf(job)}
      jobs={{ ...read, data: items && { items, next_page_token: read.data?.next_page_token } }}
      pageToken={pageToken}
      shown={job}
    >
      {job ? <Parsed key={job} id={job} /> : <NewParse />}
    </JobsPage>
  );
}

const callsOf = (job: string | undefined) => [
  { what: 'Parse a file', ...requestOf('POST /api/v2/parse', { body: { file_id: 'FILE_ID' } }) },
  {
    what: 'Read the pages of a job',
    ...requestOf('GET /api/v2/parse/{job_id}', {
      params: { job_id: job ?? 'JOB_ID' },
      query: { expand: ['markdown'] },
    }),
  },
];
