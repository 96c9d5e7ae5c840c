import { useParams, useSearchParams } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import { JobsPage } from '../jobs/jobs-page.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { NewClassification } from './new-classification.tsx';
import { Verdict } from './verdict.tsx';

/** Finding out of which type documents are: /classify for a new job, /classify/:job for a verdict. */
export default function Classify() {
  const { job } = useParams();
  const [search] = useSearchParams();
  const pageToken = search.get('page_token') ?? undefined;
  const read = useAnswer(
    'GET /api/v2/classify',
    { query: { page_size: 20, ...(pageToken && { page_token: pageToken }) } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const items = read.data?.items.map(({ file_input, ...each }) => ({ ...each, input: file_input }));
  return (
    <JobsPage
      title="Classify"
      lead="Of which type a document is, by rules in plain words."
      place="/classify"
      newLabel="New classification"
      calls={callsOf(job)}
      jobs={{ ...read, data: items && { items, next_page_token: read.data?.next_page_token } }}
      pageToken={pageToken}
      shown={job}
    >
      {job ? <Verdict key={job} id={job} /> : <NewClassification />}
    </JobsPage>
  );
}

const callsOf = (job: string | undefined) => [
  {
    what: 'Classify a file',
    ...requestOf('POST /api/v2/classify', {
      body: {
        file_input: 'FILE_ID',
        configuration: {
          rules: [{ type: 'invoice', description: 'Asks for money, with a number and a total' }],
        },
      },
    }),
  },
  {
    what: 'Read the verdict',
    ...requestOf('GET /api/v2/classify/{job_id}', { params: { job_id: job ?? 'JOB_ID' } }),
  },
];
