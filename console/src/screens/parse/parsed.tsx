import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call, send } from '../../api/client.ts';
import { deleteItem } from '../../api/deletions.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { download } from '../jobs/download.ts';
import { JobHead } from '../jobs/job-head.tsx';
import { PasswordRetry, parseWithPassword } from '../jobs/password-retry.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { useJobInput } from '../jobs/use-input.ts';
import { Result } from './result.tsx';

type Job = Answer<'GET /api/v2/parse/{job_id}'>;

/** Parse job with its result. Page, format and the job to compare with are part of the page's address. */
export function Parsed({ id }: { id: string }) {
  const read = useApiQuery(
    'GET /api/v2/parse/{job_id}',
    { params: { job_id: id } },
    { refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false) },
  );
  return (
    <Loaded read={read} what={t('The job could not be read')}>
      {(job) => <JobDetails job={job} />}
    </Loaded>
  );
}

function JobDetails({ job }: { job: Job }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const { name, fileId } = useJobInput(job.file_id ?? job.url ?? '');
  const params = { job_id: job.id };
  const list = { queryKey: ['GET /api/v2/parse'] };
  const cancel = async () => {
    await call('POST /api/v2/parse/{job_id}/cancel', { params });
    await client.invalidateQueries(list);
    await client.invalidateQueries({ queryKey: ['GET /api/v2/parse/{job_id}'] });
  };
  const remove = async () => {
    await deleteItem(client, {
      id: job.id,
      remove: () => call('DELETE /api/v2/parse/{job_id}', { params }),
      leave: () => navigate(pathTo('/parse')),
    });
    await client.invalidateQueries(list);
  };
  const [error, setError] = useState<unknown>();
  const isComplete = job.status === 'COMPLETED';
  const save = (format: keyof typeof DOWNLOADS) => {
    setError(undefined);
    void saveResult(job.id, format, name).catch(setError);
  };
  return (
    <>
      <JobHead
        list="GET /api/v2/parse"
        name={name}
        status={job.status}
        createdAt={job.created_at}
        onCancel={cancel}
        onDelete={remove}
      >
        {isComplete && (
          <>
            <Button icon="download" onClick={() => save('markdown')}>
              {t('Markdown')}
            </Button>
            <Button icon="download" onClick={() => save('text')}>
              {t('Text')}
            </Button>
          </>
        )}
      </JobHead>
      {error !== undefined && <Failure error={error} what={t('The result could not be downloaded')} />}
      {job.error_message && <Failure error={new Error(job.error_message)} what={t('The parse failed')} />}
      <PasswordRetry
        message={job.error_message}
        fileId={fileId}
        path="/parse"
        begin={async (file, password) => {
          const made = await parseWithPassword(file, password, job.configuration);
          await client.invalidateQueries(list);
          return made;
        }}
      />
      {isUnderWay(job.status) && (
        <Empty icon="running" title={t('The document is being processed')}>
          {t('The pages appear here automatically.')}
        </Empty>
      )}
      {isComplete && <Result key={job.id} job={job} name={name} fileId={fileId} />}
    </>
  );
}

const DOWNLOADS = {
  markdown: { extension: 'md', type: 'text/markdown' },
  text: { extension: 'txt', type: 'text/plain' },
} as const;

/** Downloads the whole document in one format. */
async function saveResult(job: string, format: keyof typeof DOWNLOADS, name: string): Promise<void> {
  const path = '/api/v2/parse/{job_id}/result/{format}';
  const answer = (await send({ method: 'GET', path, params: { job_id: job, format } })) as Response;
  const { extension, type } = DOWNLOADS[format];
  download(`${name}.${extension}`, type, await answer.text());
}
