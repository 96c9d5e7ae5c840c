import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { csvOf, download } from '../jobs/download.ts';
import { JobHead } from '../jobs/job-head.tsx';
import { PasswordRetry, parseWithPassword, waitForParse } from '../jobs/password-retry.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { useInput } from '../jobs/use-input.ts';
import view from './classify.module.css';

type Job = Answer<'GET /api/v2/classify/{job_id}'>;

/** One job: of which type its document is, and why. */
export function Verdict({ id }: { id: string }) {
  const read = useAnswer(
    'GET /api/v2/classify/{job_id}',
    { params: { job_id: id } },
    { refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false) },
  );
  return (
    <Loaded read={read} what="The job could not be read">
      {(job) => <Shown job={job} />}
    </Loaded>
  );
}

function Shown({ job }: { job: Job }) {
  const client = useQueryClient();
  const at = useAt();
  const { name, fileId } = useInput(job.file_input);
  const cancel = async () => {
    await call('POST /api/v2/classify/{job_id}/cancel', { params: { job_id: job.id } });
    await client.invalidateQueries({ queryKey: ['GET /api/v2/classify'] });
    await client.invalidateQueries({ queryKey: ['GET /api/v2/classify/{job_id}'] });
  };
  const { result } = job;
  const row = { file: name, ...result };
  return (
    <>
      <JobHead
        list="GET /api/v2/classify"
        name={name}
        status={job.status}
        createdAt={job.created_at}
        onCancel={cancel}
      >
        {result && (
          <>
            <Button
              icon="download"
              onClick={() => download(`${name}.json`, 'application/json', JSON.stringify(row, null, 2))}
            >
              JSON
            </Button>
            <Button
              icon="download"
              onClick={() =>
                download(`${name}.csv`, 'text/csv', csvOf(['file', 'type', 'confidence', 'reasoning'], [row]))
              }
            >
              CSV
            </Button>
          </>
        )}
        <ButtonLink to={at('/classify', { from: job.id, file: fileId })} icon="retry">
          Use again
        </ButtonLink>
      </JobHead>
      {job.error_message && <Failure error={new Error(job.error_message)} what="The classification failed" />}
      <PasswordRetry
        message={job.error_message}
        fileId={fileId}
        place="/classify"
        begin={async (file, password) => {
          // The new job reads what a parse job has read with the password.
          const file_input = await parseWithPassword(file, password);
          await waitForParse(file_input);
          const made = await call('POST /api/v2/classify', {
            body: { file_input, configuration: job.configuration },
          });
          await client.invalidateQueries({ queryKey: ['GET /api/v2/classify'] });
          return made.id;
        }}
      />
      {isUnderWay(job.status) && (
        <Empty icon="running" title="The document is being read">
          The verdict appears here by itself.
        </Empty>
      )}
      {result && (
        <Card title="Verdict">
          <p className={view.verdict}>{result.type ?? 'None of the types'}</p>
          <p>{result.reasoning}</p>
          <p className={view.sure}>Confidence {Math.round(result.confidence * 100)} %, not calibrated</p>
        </Card>
      )}
      <Card title="Types">
        <Table
          label="Types and when documents are of them"
          columns={[
            { key: 'type', header: 'Type', cell: ({ type }) => type },
            {
              key: 'description',
              header: 'When a document is of it',
              cell: ({ description }) => description,
            },
          ]}
          rows={job.configuration.rules}
          keyOf={({ type }) => type}
        />
      </Card>
    </>
  );
}
